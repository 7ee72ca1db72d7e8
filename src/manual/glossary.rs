//! Words of the product that are no names of topics, and the sections of the book about them.

/// Words, in lower case, and the section about them.
pub struct Term {
    /// The words that people type.
    pub words: &'static [&'static str],
    /// The name of the page in `docs/`.
    pub page: &'static str,
    /// The title of the section.
    pub title: &'static str,
}

const fn term(words: &'static [&'static str], page: &'static str, title: &'static str) -> Term {
    Term { words, page, title }
}

/// All terms.
pub const TERMS: [Term; 46] = [
    term(
        &["state", ".ns", "state directory", ".ns/runs", "where is state", "metadata directory"],
        "undo",
        "The directory `.ns`",
    ),
    term(
        &["journal", "journals", "journaling", "write-ahead log", "fsync", "durability", "crash", "kill -9"],
        "undo",
        "The journal",
    ),
    term(&["power failure", "power failures", "power cut"], "undo", "Power failures"),
    term(&["recovery", "recover", "killed run"], "undo", "Recovery"),
    term(&["undo", "redo", "revert", "rollback"], "undo", "Undo and redo"),
    term(&["log", "runs", "history", "run id", "id of a run"], "undo", "The list of runs"),
    term(&["show"], "undo", "What a run changed"),
    term(&["hard links", "hard link", "hardlinks", "what is restored", "xattr"], "undo", "What undo restores"),
    term(&["conflict", "conflicts", "undo conflict", "undo --force"], "undo", "When the tree has changed since"),
    term(&["backup_count", "retention", "keep backups"], "undo", "Retention"),
    term(&["gc", "free space", "disk usage", "quota", "making room"], "undo", "Making room"),
    term(
        &["backups", "backup", "trash", ".ns/trash", ".ns/backups", "restore"],
        "file_system_tool",
        "7. Backup and Recovery",
    ),
    term(&["plan", "plans", "dry run", "dry-run", "preview", "simulation", "overlay"], "plan", "Plans"),
    term(&["apply", "stale plan"], "plan", "Applying a plan"),
    term(
        &["policy", "policies", "neuroscript.toml", "policy file", "rules", "configuration", "config file"],
        "policy",
        "The policy",
    ),
    term(&["merge policies", "policy precedence", "layers"], "policy", "How the files combine"),
    term(
        &["limits", "quotas", "max steps", "steps", "deadline", "timeout", "memory limit", "resource limits"],
        "policy",
        "`[limits]`",
    ),
    term(
        &["allowed", "blocked", "deny", "denied", "policy_denied", "refusal", "refused", "read_only"],
        "policy",
        "`[policy]`",
    ),
    term(
        &["blocked patterns", "secrets", "sensitive files", "credentials", "private keys"],
        "policy",
        "Blocked patterns",
    ),
    term(&["paths", "policy paths", "roots", "further root", "allowed_directories"], "policy", "Paths"),
    term(&["approval", "approve", "confirm", "confirmation"], "policy", "Approval"),
    term(
        &["sandbox", "escape", "boundary", "security", "path", "absolute path", "sandbox root"],
        "file_system_tool",
        "2. Security and Sandboxing",
    ),
    term(&["lockdown", "landlock", "seccomp", "capabilities", "syscalls"], "trust", "Lockdown"),
    term(
        &["trust", "attacks", "threat model", "security layers", "threats"],
        "trust",
        "Security layers and test results",
    ),
    term(
        &[
            "encoding",
            "encodings",
            "latin-1",
            "latin1",
            "iso-8859-1",
            "utf-8",
            "utf8",
            "utf-16",
            "utf16",
            "bom",
            "byte order mark",
            "charset",
            "windows-1252",
            "line endings",
            "crlf",
            "unicode",
        ],
        "file_system_tool",
        "4. Encoding and Text Processing",
    ),
    term(&["binary files", "mime type", "base64 files"], "file_system_tool", "3. Binary File Handling"),
    term(&["large files", "big files", "streaming"], "file_system_tool", "5. Large File Handling"),
    term(
        &["race", "races", "concurrent changes", "if_match", "locking", "locks", "lock", "several processes"],
        "file_system_tool",
        "6. File System Monitoring",
    ),
    term(&["caching"], "file_system_tool", "8. Performance and Caching"),
    term(
        &["atomic", "transaction", "transactions", "all_or_nothing", "error handling", "partial failure"],
        "file_system_tool",
        "9. Error Handling and Recovery",
    ),
    term(
        &["gitignore", ".gitignore", "version control", "vcs", "temporary files"],
        "file_system_tool",
        "10. Integration with Development Tools",
    ),
    term(
        &["symlink", "symlinks", "symbolic links", "attributes", "scope"],
        "file_system_tool",
        "1. File Operation Scope",
    ),
    term(&["audit", "audit log", "audit.jsonl", "tamper"], "audit", "The audit log"),
    term(&["read-only", "readonly", "read only", "read-only runs"], "audit", "Read-only runs"),
    term(&["memory", "project memory", "session memory", "memory.db", "remember"], "memory", "Memory"),
    term(&["foreign", "adopt", "cloned repository", "ownership", "not owner"], "foreign", "Foreign files in `.ns`"),
    term(&["seal", "seals", "signature", "hmac", "ledger"], "foreign", "Seals"),
    term(&["session", "repl", "interactive"], "session", "The session"),
    term(&["debug", "debugger", "breakpoint", "trace", "step through"], "debugger", "Debugger"),
    term(&["editor", "editors", "vscode", "neovim", "emacs", "vim"], "editors", "Editors"),
    term(&["agent", "agents", "mcp", "claude", "server", "model context protocol"], "agents", "Agents"),
    term(&["http server", "over http", "mcp http", "team", "token", "tokens"], "server", "A server for a team"),
    term(&["golden", "golden file", "golden files", "test", "tests", "test case"], "testing", "Testing scripts"),
    term(&["document", "documents", "render", "markdown"], "documents", "Documents"),
    term(&["exit codes", "exit code", "exit status", "return code", "status code"], "command_line", "Exit codes"),
    term(&["fmt", "formatting", "style", "formatter"], "formatting", "Formatting scripts"),
];

/// Returns the term that a word stands for.
pub fn term_of(name: &str) -> Option<&'static Term> {
    let wanted = name.trim().to_lowercase();
    TERMS.iter().find(|term| term.words.contains(&wanted.as_str()))
}
