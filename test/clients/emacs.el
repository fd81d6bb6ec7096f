;;; The language server in Emacs with eglot, set up as docs/editors.md says:  -*- lexical-binding: t -*-
;;   PIPEWRIGHT_CLI=dist/cli.js emacs --batch -l test/clients/emacs.el
;; Prints one line a check and `N passed, N failed'; exits with 1 when one fails.

(defvar passed 0)
(defvar failed 0)

(defun check (name holds found)
  (if holds
      (setq passed (1+ passed))
    (setq failed (1+ failed)))
  (princ (if holds (format "ok      %s\n" name) (format "FAILED  %s: %S\n" name found))))

(defun await (holds)
  "Hears the server until HOLDS answers, for a long time on a busy machine."
  (let ((end (+ (float-time) 60)) found)
    (while (and (not (setq found (funcall holds))) (< (float-time) end))
      (accept-process-output nil 0.05))
    found))

(require 'package)
(package-initialize)
(require 'eglot)
(require 'flymake)
(require 'xref)
(setq eglot-sync-connect 120
      eglot-connect-timeout 120
      eglot-autoshutdown nil)

(define-derived-mode pipe-mode prog-mode "Pipe"
  (setq-local comment-start "// "))
(add-to-list 'auto-mode-alist '("\\.pipe\\'" . pipe-mode))
(defconst cli (expand-file-name (or (getenv "PIPEWRIGHT_CLI") "dist/cli.js")))
(add-to-list 'eglot-server-programs `(pipe-mode "node" ,cli "lsp" "--stdio"))

(defconst text
  "import { v100 } from \"std:hardware\"
model toy {
  layer block[8] { forward = 4ms  backward = 8ms }
}
cluster box { gpu[4] = v100  link = 25GB/s }
pipeline train {
  model = toy
  devices = box
  microbatches = 8
  stages = balance(4)
  schedule = 1f1bb
}
")

(defun at (before)
  "Goes to what follows BEFORE."
  (goto-char (point-min))
  (search-forward before))

(defun definition ()
  "The line to which the definition at point leads."
  (let* ((found (car (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot))))
         (marker (xref-location-marker (xref-item-location found))))
    (with-current-buffer (marker-buffer marker)
      (goto-char marker)
      (list (buffer-substring-no-properties (line-beginning-position) (line-end-position))
            (file-writable-p buffer-file-name)))))

(defun shown ()
  (flymake-start)
  (mapcar #'flymake-diagnostic-text
          (seq-filter (lambda (each) (eq (flymake-diagnostic-type each) 'eglot-error)) (flymake-diagnostics))))

(defun run ()
  (let* ((folder (make-temp-file "pipewright-emacs-" t))
         (file (expand-file-name "train.pipe" folder)))
    (with-temp-file file (insert text))
    (find-file file)
    (apply #'eglot--connect (eglot--guess-contact))
    (flymake-mode 1)
    (check "a mistake is shown" (await (lambda () (seq-some (lambda (each) (string-match-p "1f1bb" each)) (shown)))) (shown))
    (at "schedule = ")
    (let ((titles (mapcar (lambda (each) (plist-get each :title)) (eglot-code-actions (point) (+ 3 (point))))))
      (check "a fix is offered" (seq-some (lambda (each) (string-match-p "1f1b" each)) titles) titles))
    (at "schedule = 1f1b")
    (delete-char 1)
    ;; Emacs does this once nobody types, which a batch never notices.
    (eglot--signal-textDocument/didChange)
    (check "the edit clears it" (await (lambda () (null (shown)))) (shown))
    (at "schedule = 1")
    (let ((place (definition)))
      (check "the definition of a policy is its text" (string-match-p "schedule 1f1b {" (car place)) place)
      (check "which nobody can write to" (or (not (cadr place)) (= 0 (user-uid))) place))
    (at "gpu[4] = v1")
    (let ((place (definition)))
      (check "the definition of a device of std: is its text" (string-match-p "device v100" (car place)) place))
    (at "cluster b")
    (eglot-rename "pod")
    (check "a rename reaches each use"
           (and (string-match-p "cluster pod {" (buffer-string)) (string-match-p "devices = pod" (buffer-string)))
           (buffer-string))
    (eglot--signal-textDocument/didChange)
    (at "cluster p")
    (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
      (check "a hover names the cluster" (string-match-p "pod" (format "%S" hover)) hover))
    (set-buffer-modified-p nil)
    (eglot-shutdown (eglot-current-server) nil 120)
    (check "the server ends when asked" (null (eglot-current-server)) (eglot-current-server))
    (delete-directory folder t)))

(condition-case problem
    (run)
  (error (check "the script runs to its end" nil problem)))
(princ (format "%d passed, %d failed\n" passed failed))
(kill-emacs (if (and (= failed 0) (> passed 0)) 0 1))
