;;; neuroscript-mode.el --- Major mode for NeuroScript  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: languages
;; SPDX-License-Identifier: MIT OR Apache-2.0

;;; Commentary:

;; Highlighting by font-lock, comments, indentation by blocks and brackets, Imenu, and the defun commands.
;; `neuroscript-ts-mode' highlights by tree-sitter instead (Emacs 29).  Eglot knows the language server: M-x eglot.
;; C-c C-c runs a script, C-c C-p shows the changes that it would make as a diff, C-c C-t runs its test cases.
;; Dape and dap clients like it find the debug adapter, `ns dap'.
;;
;; The lists of words come from the tables of the language:
;; UPDATE=1 cargo test --test integration -- editors::

;;; Code:

(require 'seq)

(defgroup neuroscript nil
  "NeuroScript scripts."
  :group 'languages)

(defcustom neuroscript-indent-offset 2
  "Number of columns by which a block is indented."
  :type 'integer
  :safe #'integerp)

;; Variables of packages that need not be there.
(defvar eglot-server-programs)
(defvar compilation-environment)
(defvar compilation-error-regexp-alist)
(defvar compilation-error-regexp-alist-alist)
(defvar dape-configs)
(declare-function project-root "project" (project))
(declare-function treesit-ready-p "treesit" (language &optional quiet))
(declare-function treesit-parser-create "treesit.c" (language &optional buffer no-reuse))
(declare-function treesit-font-lock-rules "treesit" (&rest arguments))
(declare-function treesit-major-mode-setup "treesit" ())
(defvar treesit-font-lock-settings)
(defvar treesit-font-lock-feature-list)

(defcustom neuroscript-program "ns"
  "The program `ns'."
  :type 'string)

;; >>> words (made from the tables)
(defconst neuroscript--keywords '("IF" "if" "THEN" "then" "ELSE" "else" "END" "end" "ENDBLOCK" "endblock" "WHILE" "while" "DO" "do" "FOR" "for" "EACH" "each" "SET" "set" "VAR" "var" "CALL" "call" "RETURN" "return" "EMIT" "emit" "MUST" "must" "FAIL" "fail" "AND" "and" "OR" "or" "NOT" "not" "IN" "in")
  "Reserved words that are no values.")
(defconst neuroscript--contextual '("BREAK" "break" "CONTINUE" "continue" "ON" "on" "CLEAR_ERROR" "clear_error" "USE" "use" "DEFINE" "define" "FUNC" "func" "COMMAND" "command" "ENDIF" "endif" "ENDWHILE" "endwhile" "ENDFOR" "endfor" "ENDON" "endon" "ENDFUNC" "endfunc" "ENDPROCEDURE" "endprocedure" "ENDCOMMAND" "endcommand" "FILE_VERSION" "file_version")
  "Words that are keywords at the start of a line.")
(defconst neuroscript--on '("ERROR" "error" "AS" "as")
  "Keywords of lines that begin with ON.")
(defconst neuroscript--use '("AS" "as")
  "Keywords of lines that begin with USE.")
(defconst neuroscript--procedures '("MEANS" "means" "NEEDS" "needs" "OPTIONAL" "optional" "PROCEDURE" "procedure" "RETURNS" "returns")
  "Keywords of heads of procedures.")
(defconst neuroscript--constants '("TRUE" "true" "FALSE" "false" "NIL" "nil" "NULL" "null" "LAST" "last" "LAST_ERROR" "last_error" "ARGS" "args")
  "Words that are values.")
(defconst neuroscript--functions '("LEN" "len" "TYPEOF" "typeof" "STR" "str" "INT" "int" "FLOAT" "float" "ABS" "abs" "MIN" "min" "MAX" "max" "ROUND" "round" "FLOOR" "floor" "CEIL" "ceil" "SQRT" "sqrt" "LN" "ln" "LOG" "log" "SIN" "sin" "COS" "cos" "TAN" "tan" "ASIN" "asin" "ACOS" "acos" "ATAN" "atan" "RANGE" "range" "EVAL" "eval")
  "Built-in functions.")
(defconst neuroscript--groups '("AUDIO" "audio" "BASE64" "base64" "CSV" "csv" "ENV" "env" "FS" "fs" "HASH" "hash" "IMAGE" "image" "INI" "ini" "IO" "io" "JSON" "json" "LIST" "list" "MAP" "map" "MARKDOWN" "markdown" "MATH" "math" "MEMORY" "memory" "MIME" "mime" "PATH" "path" "RANDOM" "random" "REGEX" "regex" "STR" "str" "TEXT" "text" "TIME" "time" "TOML" "toml" "TOOL" "tool" "UUID" "uuid" "XML" "xml" "YAML" "yaml")
  "Groups of tools.")
(defconst neuroscript--openers '("IF" "if" "WHILE" "while" "FOR" "for" "ON" "on" "DEFINE" "define" "FUNC" "func" "COMMAND" "command")
  "First words of heads of blocks.")
(defconst neuroscript--branches '("ELSE" "else")
  "Words between a head and its closer.")
(defconst neuroscript--closers '("END" "end" "ENDBLOCK" "endblock" "ENDIF" "endif" "ENDWHILE" "endwhile" "ENDFOR" "endfor" "ENDON" "endon" "ENDFUNC" "endfunc" "ENDPROCEDURE" "endprocedure" "ENDCOMMAND" "endcommand")
  "Words that close blocks.")
(defconst neuroscript--nodes '("AND" "AS" "BREAK" "CALL" "CLEAR_ERROR" "COMMAND" "CONTINUE" "DEFINE" "DO" "EACH" "ELSE" "EMIT" "END" "ENDBLOCK" "ENDCOMMAND" "ENDFOR" "ENDFUNC" "ENDIF" "ENDON" "ENDPROCEDURE" "ENDWHILE" "error" "FAIL" "FILE_VERSION" "FOR" "FUNC" "IF" "IN" "MEANS" "MUST" "NEEDS" "NOT" "ON" "OPTIONAL" "OR" "PROCEDURE" "RETURN" "RETURNS" "SET" "THEN" "USE" "VAR" "WHILE")
  "Nodes of keywords in the grammar of tree-sitter.")
;; <<<

(defconst neuroscript--name "[_[:alpha:]][_[:alnum:]]*")

(defconst neuroscript--defun
  (concat "^[ \t]*\\(?:\\(?:DEFINE\\|define\\)[ \t]+\\(?:PROCEDURE\\|procedure\\)\\|FUNC\\|func\\)[ \t]+\\("
          neuroscript--name "\\)")
  "Pattern of the head of a procedure.")

;; A word before one of these marks at the start of a line is a name.
(defconst neuroscript--no-name "\\_>\\(?:[ \t]*$\\|[ \t]*[^][(.= \t\n]\\|[ \t]*==\\)")

(defvar neuroscript-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?' "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (dolist (mark '(?+ ?- ?* ?/ ?% ?= ?! ?< ?> ?& ?| ?^ ?~ ?, ?. ?: ?`))
      (modify-syntax-entry mark "." table))
    table)
  "Syntax of single characters; the rest is in `neuroscript--propertize'.")

(defun neuroscript--propertize (start end)
  "Give longer comments and strings their syntax between START and END."
  (goto-char start)
  (neuroscript--close end)
  (let ((rule (concat "\\(--\\|//\\)\\|\\('''\\|```\\)\\|^[ \t]*\\(COMMENT\\|comment\\):\\|^[ \t]*\\(::\\)")))
    (while (and (< (point) end) (re-search-forward rule end t))
      (let* ((begun (match-beginning 0))
             (state (save-excursion (syntax-ppss begun))))
        (cond
         ;; In a comment or string; `'''' begins with what looks like an empty string.
         ((or (nth 3 state) (nth 4 state))
          (goto-char (1+ begun)))
         ((match-beginning 1)
          (put-text-property begun (1+ begun) 'syntax-table (string-to-syntax "<"))
          (end-of-line))
         ((match-beginning 2)
          (put-text-property begun (1+ begun) 'syntax-table (string-to-syntax "|"))
          (neuroscript--close end))
         ((and (match-beginning 3) (zerop (car state)))
          (put-text-property (match-beginning 3) (1+ (match-beginning 3)) 'syntax-table (string-to-syntax "!"))
          (neuroscript--close end))
         ((and (match-beginning 4) (zerop (car state)))
          (put-text-property (match-beginning 4) (1+ (match-beginning 4)) 'syntax-table (string-to-syntax "!"))
          (neuroscript--close end)))))))

(defun neuroscript--close (end)
  "Find the end of the fenced string, block or metadata at point, before END."
  (let* ((state (syntax-ppss))
         (begun (nth 8 state)))
    (cond
     ((eq (nth 3 state) t)
      (let ((fence (buffer-substring-no-properties begun (min (point-max) (+ begun 3)))))
        (goto-char (max (point) (+ begun 3)))
        (when (search-forward fence end 'move)
          (put-text-property (1- (point)) (point) 'syntax-table (string-to-syntax "|")))))
     ((and (nth 4 state) begun (save-excursion (goto-char begun) (looking-at-p "COMMENT:\\|comment:")))
      (goto-char begun)
      (let ((closer "\\_<\\(?:ENDCOMMENT\\|endcomment\\)\\_>"))
        (when (or (re-search-forward closer (line-end-position) t)
                  (re-search-forward (concat "^[ \t]*" closer) end 'move))
          (put-text-property (1- (point)) (point) 'syntax-table (string-to-syntax "!")))))
     ((and (nth 4 state) begun (save-excursion (goto-char begun) (looking-at-p "::")))
      (end-of-line)
      (while (and (looking-back "\\\\[ \t\r]*" (line-beginning-position)) (zerop (forward-line 1)) (not (eobp)))
        (end-of-line))
      (unless (eobp)
        (put-text-property (point) (1+ (point)) 'syntax-table (string-to-syntax "!")))
      (goto-char (min (point-max) (1+ (point))))))))

(defun neuroscript--face-of-text (state)
  "Return the face of a string or comment whose parse state is STATE."
  (cond
   ((nth 3 state) 'font-lock-string-face)
   ((save-excursion (goto-char (nth 8 state)) (looking-at-p "::")) 'font-lock-preprocessor-face)
   (t 'font-lock-comment-face)))

(defun neuroscript--is-name ()
  "Whether the matched word is a field or the name of an argument."
  (save-match-data
    (or (eq (char-before (match-beginning 0)) ?.)
        (save-excursion
          (goto-char (match-end 0))
          (looking-at-p "[ \t]*:")))))

(defun neuroscript--search (pattern &optional where)
  "Return a matcher for PATTERN where it is no name and WHERE returns non-nil."
  (lambda (limit)
    (let (found)
      (while (and (setq found (re-search-forward pattern limit t))
                  (or (neuroscript--is-name)
                      (and where (not (save-match-data (save-excursion (funcall where))))))))
      found)))

(defun neuroscript--outside-brackets-p ()
  "Whether the text that was matched is in no bracket."
  (zerop (car (syntax-ppss (match-beginning 0)))))

(defun neuroscript--in-head-p ()
  "Whether the text that was matched belongs to the head of a procedure."
  (let (brackets)
    (while (progn (beginning-of-line)
                  (setq brackets (nth 9 (syntax-ppss))))
      (goto-char (car brackets))))
  (looking-at-p "[ \t]*\\(?:DEFINE\\|define\\|FUNC\\|func\\)\\_>"))

(defvar neuroscript-font-lock-keywords
  `((,(neuroscript--search
       (concat "^[ \t]*\\(" (regexp-opt neuroscript--contextual) "\\)" neuroscript--no-name)
       #'neuroscript--outside-brackets-p)
     1 font-lock-keyword-face)
    ("^[ \t]*\\(?:ON\\|on\\)\\_>" (,(neuroscript--search (regexp-opt neuroscript--on 'symbols))
                                   nil nil (0 font-lock-keyword-face)))
    ("^[ \t]*\\(?:USE\\|use\\)\\_>" (,(neuroscript--search (regexp-opt neuroscript--use 'symbols))
                                     nil nil (0 font-lock-keyword-face)))
    (,(neuroscript--search (regexp-opt neuroscript--procedures 'symbols) #'neuroscript--in-head-p)
     0 font-lock-keyword-face)
    (,(neuroscript--search (regexp-opt neuroscript--constants 'symbols)) 0 font-lock-constant-face)
    (,(neuroscript--search (regexp-opt neuroscript--keywords 'symbols)) 0 font-lock-keyword-face)
    (,(concat "\\_<\\(" (regexp-opt neuroscript--functions) "\\)[ \t]*(") 1 font-lock-builtin-face)
    (,(concat "\\_<\\(" neuroscript--name "\\)[ \t]*(") 1 font-lock-function-name-face)
    (,(concat "\\_<\\(" neuroscript--name "\\)[ \t]*:") 1 font-lock-variable-name-face)
    (,(concat "\\_<\\(" (regexp-opt neuroscript--groups) "\\)\\.") 1 font-lock-type-face)))

(defun neuroscript--words (words)
  "Return a pattern for a line that begins with one of WORDS."
  (concat "[ \t]*\\(?:" (regexp-opt words) "\\)" neuroscript--no-name))

(defun neuroscript--previous-line ()
  "Go to the line of code before this one; return whether there is one."
  (let (found)
    (while (and (not found) (zerop (forward-line -1)))
      (setq found (and (not (looking-at-p "[ \t]*\\($\\|#\\|--\\|//\\|::\\)"))
                       (not (nth 8 (syntax-ppss))))))
    found))

(defun neuroscript--joined-p ()
  "Whether a backslash joins the current line to the one before."
  (save-excursion
    (and (zerop (forward-line -1))
         (progn (end-of-line)
                (skip-chars-backward " \t\r")
                (eq (char-before) ?\\))
         (not (nth 8 (syntax-ppss (1- (point))))))))

(defun neuroscript--statement-start ()
  "Go to the first line of the statement on the current line."
  (let ((moved t))
    (while moved
      (setq moved nil)
      (let ((bracket (nth 1 (syntax-ppss))))
        (when bracket
          (goto-char bracket)
          (beginning-of-line)
          (setq moved t)))
      (when (neuroscript--joined-p)
        (forward-line -1)
        (setq moved t)))))

(defun neuroscript--indentation ()
  "Return the column of the current line, or nil in a string or a comment block."
  (save-excursion
    (beginning-of-line)
    (let* ((state (syntax-ppss))
           (closes (looking-at-p (neuroscript--words (append neuroscript--closers neuroscript--branches))))
           (closes-bracket (looking-at-p "[ \t]*[])}]"))
           (joined (neuroscript--joined-p)))
      (cond
       ((nth 8 state) nil)
       ((nth 1 state)
        (goto-char (nth 1 state))
        (+ (current-indentation) (if closes-bracket 0 neuroscript-indent-offset)))
       ((not (neuroscript--previous-line)) 0)
       (joined
        (if (neuroscript--joined-p) (current-indentation) (+ (current-indentation) (* 2 neuroscript-indent-offset))))
       (t
        (neuroscript--statement-start)
        (max 0 (+ (current-indentation)
                  (if (looking-at-p (neuroscript--words (append neuroscript--openers neuroscript--branches)))
                      neuroscript-indent-offset
                    0)
                  (if closes (- neuroscript-indent-offset) 0))))))))

(defun neuroscript-indent-line ()
  "Indent the current line."
  (interactive)
  (let ((column (neuroscript--indentation)))
    (when column
      (if (<= (current-column) (current-indentation))
          (indent-line-to column)
        (save-excursion (indent-line-to column))))))

;; Running scripts

(defun neuroscript--root ()
  "Return the sandbox of the script: the directory of its project, or its own."
  (let ((project (project-current)))
    (expand-file-name (if project (project-root project) default-directory))))

(defun neuroscript--file ()
  "Save the current script and return its file."
  (unless buffer-file-name
    (user-error "The script is not in a file"))
  (when (buffer-modified-p)
    (save-buffer))
  buffer-file-name)

(defun neuroscript--procedure (prefix)
  "Return the arguments that name the procedure at point if PREFIX is non-nil."
  (when prefix
    (save-excursion
      (end-of-line)
      (unless (neuroscript-beginning-of-defun)
        (user-error "There is no procedure before point"))
      (looking-at neuroscript--defun)
      (list "--proc" (match-string-no-properties 1)))))

;; The arguments of the last run of the current script.
(defvar-local neuroscript--arguments "")

(defun neuroscript--needs-arguments-p (file)
  "Whether the script FILE has required parameters."
  (let* ((text (with-output-to-string
                 (call-process neuroscript-program nil (list standard-output nil) nil
                               "check" "--info" "--format" "json" "--sandbox" (neuroscript--root) file)))
         (described (ignore-errors (json-parse-string text :array-type 'list :object-type 'alist :null-object nil)))
         (line (alist-get 'command_line (alist-get 'info (car described)))))
    (delq nil (mapcar (lambda (parameter) (eq (alist-get 'required parameter) t))
                      (alist-get 'parameters line)))))

;; `split-string-shell-command' loses the words before `;', `|' and `&', even in quotes.
(defun neuroscript--split (text)
  "Return the words of TEXT, with quotes and backslashes as in a shell."
  (with-temp-buffer
    (insert (string-trim text))
    (goto-char (point-min))
    (let (words)
      (while (not (eobp))
        (let (parts)
          (while (looking-at "'\\([^']*\\)'\\|\"\\(\\(?:[^\"\\]\\|\\\\.\\)*\\)\"\\|\\\\\\(.\\)\\|[^ \t\n\"'\\]+")
            (push (cond ((match-string 1))
                        ((match-string 2) (replace-regexp-in-string "\\\\\\([\"\\]\\)" "\\1" (match-string 2)))
                        ((match-string 3))
                        (t (match-string 0)))
                  parts)
            (goto-char (match-end 0)))
          (unless (or (eobp) (looking-at-p "[ \t\n]"))
            (user-error "The arguments end within a quote or after a backslash; close the quote"))
          (push (apply #'concat (nreverse parts)) words))
        (skip-chars-forward " \t\n"))
      (nreverse words))))

(defun neuroscript--ask (file procedure)
  "Return the arguments of a run of FILE, or of PROCEDURE if that is non-nil.
They are asked for with a procedure, and if the script has required parameters."
  (when (or procedure (neuroscript--needs-arguments-p file))
    (setq neuroscript--arguments (read-string "Arguments: " neuroscript--arguments))
    (neuroscript--split neuroscript--arguments)))

(defun neuroscript--run-words (prefix options)
  "Return the arguments of `ns' that run the current script with OPTIONS.
With PREFIX, they run the procedure at point."
  (let* ((file (neuroscript--file))
         (procedure (neuroscript--procedure prefix))
         (arguments (neuroscript--ask file procedure)))
    `("run" ,@options "--sandbox" ,(neuroscript--root) ,@procedure ,file ,@(and arguments (cons "--" arguments)))))

(defun neuroscript--compile (words &optional interactive)
  "Run `neuroscript-program' with WORDS in a buffer.
It takes input if INTERACTIVE is non-nil."
  (let ((compilation-environment '("NO_COLOR=1")))
    (compile (mapconcat #'shell-quote-argument (cons neuroscript-program words) " ") interactive)))

(defun neuroscript-run (&optional prefix)
  "Run the current script; with PREFIX the procedure at point."
  (interactive "P")
  (neuroscript--compile (neuroscript--run-words prefix nil) t))

(defun neuroscript-test ()
  "Run the test cases of the current script."
  (interactive)
  (neuroscript--compile (list "test" (neuroscript--file))))

(defun neuroscript-plan (&optional prefix)
  "Show the changes that the current script would make as a diff.
With PREFIX, those of the procedure at point.  Nothing changes."
  (interactive "P")
  (let ((words (neuroscript--run-words prefix '("--plan")))
        (directory default-directory)
        (process-environment (cons "NO_COLOR=1" process-environment)))
    (neuroscript--show "*NeuroScript plan*" directory words #'diff-mode)))

(defun neuroscript--show (name directory words mode)
  "Show what `neuroscript-program' prints in DIRECTORY for WORDS.
The buffer NAME gets the major mode MODE."
  (with-current-buffer (get-buffer-create name)
    (let ((inhibit-read-only t))
      (setq default-directory directory)
      (erase-buffer)
      (apply #'call-process neuroscript-program nil t nil words)
      (goto-char (point-min))
      (funcall mode)
      (setq buffer-read-only t))
    (display-buffer (current-buffer))))

(defun neuroscript--code-at-point ()
  "Return the code of a finding on the line of point, or nil."
  (when (fboundp 'flymake-diagnostics)
    (seq-some (lambda (finding)
                (let ((text (flymake-diagnostic-text finding)))
                  (when (string-match "\\_<NS[0-9]\\{4\\}\\_>" text)
                    (match-string 0 text))))
              (flymake-diagnostics (line-beginning-position) (line-end-position)))))

(defun neuroscript-explain (code)
  "Show the page of CODE, by default of the finding on the line of point."
  (interactive (list (or (neuroscript--code-at-point) (read-string "Code: "))))
  (neuroscript--show "*NeuroScript code*" default-directory (list "explain" "--" code) #'text-mode))

(with-eval-after-load 'compile
  (add-to-list 'compilation-error-regexp-alist-alist
               '(neuroscript "^ *--> \\([^:\n]+\\):\\([0-9]+\\):\\([0-9]+\\)$" 1 2 3))
  (add-to-list 'compilation-error-regexp-alist 'neuroscript))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((neuroscript-mode neuroscript-ts-mode) . (lambda (&rest _) (list neuroscript-program "lsp")))))

(with-eval-after-load 'dape
  (add-to-list 'dape-configs
               '(neuroscript
                 modes (neuroscript-mode neuroscript-ts-mode)
                 command neuroscript-program
                 command-args ("dap")
                 command-cwd neuroscript--root
                 :type "neuroscript"
                 :request "launch"
                 :program dape-buffer-default
                 :sandbox neuroscript--root)))

(defvar neuroscript-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'neuroscript-run)
    (define-key map (kbd "C-c C-p") #'neuroscript-plan)
    (define-key map (kbd "C-c C-t") #'neuroscript-test)
    (define-key map (kbd "C-c C-e") #'neuroscript-explain)
    map)
  "Keys of `neuroscript-mode'.")

;;;###autoload
(define-derived-mode neuroscript-mode prog-mode "NeuroScript"
  "Major mode for NeuroScript scripts."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "\\(?:#+\\|--+\\|//+\\)[ \t]*")
  (setq-local comment-end "")
  (setq-local parse-sexp-lookup-properties t)
  (setq-local syntax-propertize-function #'neuroscript--propertize)
  (setq-local indent-line-function #'neuroscript-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local electric-indent-chars (append ")]}" electric-indent-chars))
  (setq-local beginning-of-defun-function #'neuroscript-beginning-of-defun)
  (setq-local imenu-generic-expression `((nil ,neuroscript--defun 1)))
  (setq font-lock-defaults
        '(neuroscript-font-lock-keywords nil nil nil
          (font-lock-syntactic-face-function . neuroscript--face-of-text))))

(defun neuroscript-beginning-of-defun (&optional count)
  "Go back to the head of a procedure, COUNT times."
  (re-search-backward neuroscript--defun nil 'move (or count 1)))

(defun neuroscript-ts-mode--rules ()
  "Return the rules by which tree-sitter highlights."
  (treesit-font-lock-rules
   :language 'neuroscript :feature 'comment
   '([(comment) (comment_block)] @font-lock-comment-face
     (metadata) @font-lock-preprocessor-face)
   :language 'neuroscript :feature 'string
   '([(string) (raw_string) (template)] @font-lock-string-face)
   :language 'neuroscript :feature 'keyword
   `([,@neuroscript--nodes] @font-lock-keyword-face)
   :language 'neuroscript :feature 'definition
   '((procedure_definition name: (identifier) @font-lock-function-name-face)
     (function_definition name: (identifier) @font-lock-function-name-face)
     (named_argument name: (identifier) @font-lock-variable-name-face))
   :language 'neuroscript :feature 'builtin
   `((call function: (member object: (identifier) @font-lock-type-face)
           (:match ,(regexp-opt neuroscript--groups 'symbols) @font-lock-type-face))
     (call function: ((identifier) @font-lock-builtin-face
                      (:match ,(regexp-opt neuroscript--functions 'symbols) @font-lock-builtin-face))))
   :language 'neuroscript :feature 'function
   '((call function: (identifier) @font-lock-function-name-face)
     (call function: (member property: (property_identifier) @font-lock-function-name-face)))
   :language 'neuroscript :feature 'constant
   '([(boolean) (nil) (last) (number)] @font-lock-constant-face)))

;;;###autoload
(define-derived-mode neuroscript-ts-mode neuroscript-mode "NeuroScript"
  "Major mode for NeuroScript scripts that highlights by tree-sitter.
Without the grammar of tree-sitter it is `neuroscript-mode'."
  (when (and (require 'treesit nil t) (treesit-ready-p 'neuroscript))
    (treesit-parser-create 'neuroscript)
    (setq-local treesit-font-lock-settings (neuroscript-ts-mode--rules))
    (setq-local treesit-font-lock-feature-list
                '((comment definition) (keyword string) (builtin constant function)))
    (treesit-major-mode-setup)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ns\\(?:\\.txt\\)?\\'" . neuroscript-mode))
;;;###autoload
(add-to-list 'interpreter-mode-alist '("ns" . neuroscript-mode))

(provide 'neuroscript-mode)
;;; neuroscript-mode.el ends here
