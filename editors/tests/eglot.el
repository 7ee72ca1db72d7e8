;; The mode with Eglot and the language server: emacs -q --batch -l neuroscript-mode.el -l eglot.el NS
;; -*- lexical-binding: t; -*-

(when (and (< emacs-major-version 29) (fboundp 'package-initialize))
  (package-initialize))
(require 'eglot)
(require 'flymake)
(require 'cl-lib)
(require 'lisp-mnt)
(require 'ert)
(setq eglot-sync-connect 30
      eglot-autoshutdown t
      eglot-connect-timeout 30
      eglot-confirm-server-initiated-edits nil
      make-backup-files nil
      process-adaptive-read-buffering nil
      compilation-always-kill t
      neuroscript-program (expand-file-name (pop command-line-args-left)))

(defun editors-wait (what holds &optional process)
  "Fail with WHAT unless HOLDS returns non-nil within 30 seconds, while the output of PROCESS is read."
  (let ((end (+ (float-time) 30)))
    (while (and (not (funcall holds)) (< (float-time) end))
      (accept-process-output process 0.1))
    (or (funcall holds) (error "%s; the buffer is %s" what (buffer-string)))))

(defun editors-equal (found wanted what)
  "Fail with WHAT unless FOUND is WANTED."
  (unless (equal found wanted)
    (error "%s: %S instead of %S" what found wanted)))

(defun editors-idle ()
  "Send changes, as Eglot does when Emacs is idle."
  (eglot--signal-textDocument/didChange))

(defun editors-line (number)
  "Return line NUMBER."
  (save-excursion
    (goto-char (point-min))
    (forward-line (1- number))
    (buffer-substring-no-properties (line-beginning-position) (line-end-position))))

(defun editors-run (file prefix given wanted)
  "Run FILE with PREFIX at its end, answer GIVEN if arguments are asked for, and wait for the output WANTED."
  (save-current-buffer
    (find-file file)
    (goto-char (point-max))
    (cl-letf (((symbol-function 'read-string) (lambda (&rest _) given)))
      (save-window-excursion (neuroscript-run prefix)))
    (with-current-buffer "*compilation*"
      (editors-wait (format "`%s' with the arguments %s does not show %s" (file-name-nondirectory file) given wanted)
                    (lambda () (string-match-p wanted (buffer-string)))
                    (get-buffer-process (current-buffer))))))

(let* ((root (file-name-as-directory (file-truename (make-temp-file "project" t))))
       (default-directory root)
       (file (expand-file-name "a.ns" root))
       (made (expand-file-name "made.txt" root)))
  (with-temp-file file
    (insert "SET count=1\nSET unread = 1\nMUST CALL FS.WriteFile(\"made.txt\", \"hello\")\nEMIT \"count \", count\n"))
  (with-temp-file (expand-file-name "a.out" root) (insert "count 1\n"))
  (find-file file)
  (editors-equal major-mode 'neuroscript-mode "the mode")
  ;; As `M-x eglot' does, with what the mode registers.
  (apply #'eglot (let ((guess (eglot--guess-contact))) (if (< (length guess) 5) (append guess '(nil)) guess)))
  (editors-wait "no server" #'eglot-current-server)

  (flymake-start)
  (editors-wait "no diagnostics" #'flymake-diagnostics)
  (unless (string-match-p "unread" (flymake-diagnostic-text (car (flymake-diagnostics))))
    (error "another finding: %s" (flymake-diagnostic-text (car (flymake-diagnostics)))))
  (save-window-excursion
    (goto-char (point-min))
    (forward-line 1)
    (cl-letf (((symbol-function 'read-string) (lambda (&rest _) (error "No finding is on line 2"))))
      (call-interactively #'neuroscript-explain)))
  (with-current-buffer "*NeuroScript code*"
    (unless (string-prefix-p "NS0112: " (buffer-string)) (error "another page: %s" (buffer-string))))

  (eglot-format-buffer)
  (editors-equal (editors-line 1) "SET count = 1" "the formatted line")

  (editors-idle)
  (goto-char (point-min))
  (search-forward "count")
  (backward-char)
  (eglot-rename "total")
  (editors-equal (editors-line 4) "EMIT \"count \", total" "the renamed line")

  (editors-idle)
  (goto-char (point-min))
  (search-forward "WriteF")
  (let (shown)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown (or shown text))))
    (editors-wait "no page of the tool" (lambda () shown))
    (unless (string-match-p "WriteFile" shown) (error "another page: %s" shown)))

  (goto-char (point-max))
  (insert "EMIT FS.WriteF")
  (let ((found (run-hook-with-args-until-success 'completion-at-point-functions)))
    (editors-equal (mapcar #'substring-no-properties
                           (all-completions (buffer-substring (nth 0 found) (nth 1 found)) (nth 2 found)))
                   '("WriteFile") "what can stand there"))
  (delete-region (line-beginning-position) (point-max))
  (goto-char (point-min))
  (search-forward "total" nil nil 2)
  (editors-equal (line-number-at-pos (xref-location-marker (xref-item-location
                                       (car (xref-backend-definitions (xref-find-backend) (thing-at-point 'symbol))))))
                 1 "the line of the definition")

  (neuroscript-plan)
  (with-current-buffer "*NeuroScript plan*"
    (editors-equal major-mode 'diff-mode "the mode of the plan")
    (unless (string-match-p "^\\+hello" (buffer-string)) (error "another plan: %s" (buffer-string))))
  (when (file-exists-p made) (error "A plan changed something"))
  (dolist (row '((neuroscript-test . "1 passed") (neuroscript-run . "^count 1")))
    (save-window-excursion (funcall (car row)))
    ;; The output of a run is in `comint-mode', and has the same name.
    (with-current-buffer "*compilation*"
      (editors-wait (format "%s does not end" (car row)) (lambda () (string-match-p (cdr row) (buffer-string)))
                    (get-buffer-process (current-buffer)))))
  (let ((needy (expand-file-name "b.ns" root)))
    (with-temp-file needy
      (insert "DEFINE PROCEDURE Main(name)\n  EMIT \"hello \", name\nEND\n"))
    (editors-run needy nil "\"Ada L\"" "^hello Ada L")
    (editors-run needy nil " 'a;b \"c\"'\\ 1\\&2 " "^hello a;b \"c\" 1&2$")
    ;; A word is no option of `ns', which would plan.
    (editors-run needy nil "--plan" "does not have an option `--plan`")
    (should-error (editors-run needy nil "it's" "") :type 'user-error))
  (let ((free (expand-file-name "c.ns" root)))
    (with-temp-file free
      (insert "EMIT \"given \", ARGS\nDEFINE PROCEDURE Say(word)\n  EMIT \"said \", word\nEND\n"))
    (editors-run free '(4) "'two words'" "^said two words")
    ;; The words of the run before are not used for one that asks for none.
    (editors-run free nil "asked" "^given \\[\\]"))
  (unless (file-exists-p made) (error "The sandbox of a run is not the project"))
  (set-buffer-modified-p nil)
  (eglot-shutdown (eglot-current-server))
  (delete-directory root t))
(message "Eglot %s in Emacs %s: attached, diagnostics, formatting, renaming, hover, completion, definition, plan, test and run are there"
         (lm-version (find-library-name "eglot")) emacs-version)
