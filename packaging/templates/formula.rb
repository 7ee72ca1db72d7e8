# @DESCRIPTION@
class @CLASS@ < Formula
  desc "@DESCRIPTION@"
  homepage "@HOMEPAGE@"
  url "@RELEASE@/@SOURCE@"
  version "@VERSION@"
  sha256 "@SOURCE_SHA256@"
  license any_of: [@LICENSES@]

  on_macos do
    depends_on "rust" => :build
  end

  on_linux do
@PROGRAMS@
  end

  def install
    if OS.mac?
      system "cargo", "install", "--profile", "dist", *std_cargo_args
    else
      bin.install "ns"
    end
    generate_completions_from_executable(bin/"ns", "completions")
    (man1/"ns.1").write Utils.safe_popen_read(bin/"ns", "man")
  end

  test do
    (testpath/"a.txt").write "one\n"
    assert_match version.to_s, shell_output("#{bin}/ns --version")
    assert_equal "1", shell_output("#{bin}/ns run -e 'EMIT LEN(FS.Find(\".\"))'").strip
  end
end
