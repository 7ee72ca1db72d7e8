# `nix run` and `nix profile install`. Name, version, description and licence come from Cargo.toml.
{
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      manifest = nixpkgs.lib.importTOML ./Cargo.toml;
      systems = [ "x86_64-linux" "aarch64-linux" ];
      package = pkgs: pkgs.rustPlatform.buildRustPackage {
        pname = manifest.package.name;
        version = manifest.workspace.package.version;
        src = ./.;
        cargoLock.lockFile = ./Cargo.lock;
        cargoBuildFlags = [ "--package" manifest.package.name ];
        buildType = "dist";
        # The tests need root, strace and a disk of their own; `.ci/run` runs them.
        doCheck = false;
        nativeBuildInputs = [ pkgs.installShellFiles ];
        postInstall = ''
          for shell in bash zsh fish; do
            $out/bin/ns completions $shell > ns.$shell
          done
          $out/bin/ns man > ns.1
          installShellCompletion ns.bash ns.zsh ns.fish
          installManPage ns.1
        '';
        meta = {
          inherit (manifest.package) description homepage;
          license = with nixpkgs.lib.licenses; [ mit asl20 ];
          mainProgram = "ns";
          platforms = systems;
        };
      };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: {
        default = package nixpkgs.legacyPackages.${system};
      });
    };
}
