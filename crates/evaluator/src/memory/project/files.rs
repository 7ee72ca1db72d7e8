//! The names of the files of project memory.

/// The file's name in `.ns`.
pub const NAME: &str = "memory.db";
/// SQLite's write-ahead log: changes that were not moved into the database yet.
pub const WAL: &str = "memory.db-wal";
/// All names that SQLite may open, beginning with the database.
pub const NAMES: [&str; 4] = [NAME, WAL, "memory.db-shm", JOURNAL];
/// The rollback journal, which exists if another program has turned the WAL off.
pub const JOURNAL: &str = "memory.db-journal";
/// The first bytes of a journal in use.
pub const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
