;; Writes the faces at the places of the sample, and indents scripts that are formatted:
;; emacs -Q --batch -l neuroscript-mode.el -l emacs.el FOLDER SCRIPT…  -*- lexical-binding: t; -*-

(defun editors-places (folder)
  "Write the faces at the places of FOLDER."
  (let (current found)
    (dolist (place (with-temp-buffer
                     (insert-file-contents (expand-file-name "places.tsv" folder))
                     (split-string (buffer-string) "\n" t)))
      (pcase-let ((`(,number ,line ,column ,_) (split-string place "\t")))
        (unless (equal number current)
          (when current (kill-buffer))
          (setq current number)
          (switch-to-buffer (generate-new-buffer "script"))
          (insert-file-contents (expand-file-name (concat number ".ns") folder))
          (neuroscript-mode)
          (font-lock-ensure))
        (goto-char (point-min))
        (forward-line (1- (string-to-number line)))
        (forward-char (string-to-number column))
        (let ((face (get-text-property (point) 'face)))
          (push (mapconcat #'identity (list number line column (format "%s" (if (consp face) (car face) face))) "\t")
                found))))
    (with-temp-file (expand-file-name "emacs.tsv" folder)
      (insert (mapconcat #'identity (nreverse found) "\n") "\n"))))

(defun editors-indent (file)
  "Fail if indenting FILE, which is formatted, changes it."
  (with-temp-buffer
    (insert-file-contents file)
    (neuroscript-mode)
    (let ((before (buffer-string))
          (inhibit-message t))
      (goto-char (point-min))
      (while (not (eobp))
        (unless (looking-at-p "[ \t]*$")
          (funcall indent-line-function))
        (forward-line))
      (unless (equal before (buffer-string))
        (let ((at (abs (compare-strings before nil nil (buffer-string) nil nil))))
          (goto-char at)
          (message "%s:%d: the line is indented otherwise: %s" file (line-number-at-pos)
                   (buffer-substring (line-beginning-position) (line-end-position)))
          (kill-emacs 1))))))

(let ((folder (pop command-line-args-left)))
  (editors-places folder)
  (mapc #'editors-indent command-line-args-left)
  (setq command-line-args-left nil))
