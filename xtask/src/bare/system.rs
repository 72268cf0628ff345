//! A minimal Debian in a folder, and how to run a command in it.
//!
//! Commands run in mount and process namespaces of their own. The kernel removes the mounts and ends the processes when the
//! command ends, however it ends: nothing is ever mounted in a folder that this machine sees.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::step::{Step, root};

/// Where the clone lies in the system.
const CLONE: &str = "/srv/vigie";

/// Where the Rust toolchain of this machine is seen in the system.
const RUST: &str = "/opt/rust";

const USER_FOLDER: &str = "/srv/user";

/// The bundle of certificate authorities, where Debian and most programs look for it. A machine that has Rust has one: Rust comes
/// over HTTPS.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Where Debian takes additional authorities from. Python brings the package that makes the bundle anew, and without this file the
/// authorities that only this machine trusts would be gone from it.
const ADDITIONAL_CERTIFICATES: &str = "/usr/local/share/ca-certificates/host.crt";

/// Files that say how this machine reaches others. They lie in the same places in the system.
const NETWORK_FILES: &[&str] = &["/etc/resolv.conf", CERTIFICATES, "/etc/pip.conf"];

/// Variables that say how this machine reaches others. A file that one of them names is copied, too.
const NETWORK_VARIABLES: &[&str] = &[
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_TRUSTED_HOST",
];

/// The same for settings of cargo.
const NETWORK_PREFIXES: &[&str] = &["CARGO_HTTP_", "CARGO_NET_", "CARGO_REGISTRIES_", "CARGO_SOURCE_"];

/// Settings of apt that say how this machine reaches its mirror.
const APT_PREFIXES: &[&str] =
    &["Acquire::http", "Acquire::https", "Acquire::Check-Valid-Until", "Acquire::Retries"];

/// Mounts what a system needs, in the namespace of this process alone, and runs the rest of its arguments in the system. The shell
/// stays: it is the first process of its namespace, which signals do not end.
const ENTER: &str = r#"
system=$1 rust=$2; shift 2
mount -o bind,ro "$rust" "$system/opt/rust"
mount --rbind /dev "$system/dev"
mount --rbind /sys "$system/sys"
mount -t proc proc "$system/proc"
chroot "$system" "$@"
"#;

/// Makes the minimal system in `folder/base`, unless an earlier run did. Returns its path.
pub fn make_base(folder: &Path) -> Result<PathBuf, Failure> {
    let folder = std::path::absolute(folder).map_err(|cause| file_failure(folder, cause))?;
    let (base, complete) = (folder.join("base"), folder.join("base-is-complete"));
    if complete.exists() {
        eprintln!(
            "\nUsing the minimal Debian in {}. To have it made again:\n  {}",
            base.display(),
            removal(&folder)
        );
        return Ok(base);
    }
    if base.exists() {
        // debootstrap was interrupted.
        remove(&base)?;
    }
    fs::create_dir_all(&folder).map_err(|cause| file_failure(&folder, cause))?;
    let (suite, mirror) = suite_and_mirror();
    let mut arguments = vec!["--variant=minbase".to_owned(), suite, base.display().to_string()];
    arguments.extend(mirror);
    Step::of("debootstrap", []).and(&arguments).run()?;
    write(&complete, "")?;
    Ok(base)
}

/// The command that removes everything this command keeps.
pub fn removal(folder: &Path) -> Step {
    Step::of("rm", ["-rf", "--one-file-system"]).and(&[folder.display().to_string()])
}

/// The release of this machine and the mirror it uses, so that debootstrap works where apt does; on other systems the stable
/// release, and the mirror that debootstrap uses by default.
fn suite_and_mirror() -> (String, Option<String>) {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let value = |name: &str| {
        let line = release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.map(|value| value.trim_matches('"').to_owned())
    };
    match (value("ID").as_deref(), value("VERSION_CODENAME")) {
        (Some("debian"), Some(suite)) => {
            let targets = ["indextargets", "--format", "$(RELEASE) $(SITE)", "Created-By: Packages"];
            let targets = Step::of("apt-get", targets).output().unwrap_or_default();
            let mirror = mirror_of(&suite, &targets);
            (suite, mirror)
        }
        _ => ("stable".to_owned(), None),
    }
}

/// The first mirror of a release in lines of `release mirror`.
fn mirror_of(suite: &str, targets: &str) -> Option<String> {
    let mut targets = targets.lines().filter_map(|line| line.split_once(' '));
    targets.find(|(release, _)| *release == suite).map(|(_, mirror)| mirror.to_owned())
}

pub struct System {
    path: PathBuf,
    toolchain: PathBuf,
    variables: Vec<(String, String)>,
}

impl System {
    /// Copies the minimal system, replacing what an earlier run left at `path`, and clones the repository into it.
    pub fn copy_of(base: &Path, path: &Path) -> Result<Self, Failure> {
        let path = std::path::absolute(path).map_err(|cause| file_failure(path, cause))?;
        if path.exists() {
            remove(&path)?;
        }
        let copy = [base.display().to_string(), path.display().to_string()];
        Step::of("cp", ["--archive", "--one-file-system"]).and(&copy).run()?;
        let system = Self { path, toolchain: toolchain()?, variables: network_variables() };
        system.connect()?;
        for folder in [RUST, USER_FOLDER] {
            let folder = system.inside(folder);
            fs::create_dir_all(&folder).map_err(|cause| file_failure(&folder, cause))?;
        }
        let clone = [root().display().to_string(), system.inside(CLONE).display().to_string()];
        Step::of("git", ["clone", "--quiet", "--no-hardlinks"]).and(&clone).run()?;
        Ok(system)
    }

    /// Runs a command in the clone.
    pub fn run(&self, arguments: &[&str]) -> Result<(), Failure> {
        let step = arguments.join(" ");
        eprintln!("\n$ {step}");
        match self.command(arguments).status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => {
                Err(Failure::Failed { step: format!("{step} (in {})", self.path.display()), status })
            }
            Err(cause) => Err(Failure::NotStarted { step, cause }),
        }
    }

    /// A command in the clone, with none of this machine's variables but those of the network.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", ENTER, "enter"]);
        command.arg(&self.path).arg(&self.toolchain);
        command.args(["env", "--ignore-environment", "--chdir", CLONE]);
        command.arg(format!("HOME={USER_FOLDER}"));
        command.arg(format!("PATH={RUST}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"));
        command.args(self.variables.iter().map(|(name, value)| format!("{name}={value}")));
        command.args(arguments);
        command
    }

    pub fn remove(self) -> Result<(), Failure> {
        remove(&self.path)
    }

    /// Copies the files that package managers need to reach the network as those of this machine do.
    fn connect(&self) -> Result<(), Failure> {
        for file in
            NETWORK_FILES.iter().copied().chain(self.variables.iter().map(|(_, value)| value.as_str()))
        {
            self.copy_in(Path::new(file), file)?;
        }
        self.copy_in(Path::new(CERTIFICATES), ADDITIONAL_CERTIFICATES)?;
        // Debian's installer writes this file, debootstrap does not.
        write(&self.inside("/etc/hosts"), "127.0.0.1 localhost\n::1 localhost\n")?;
        let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let cargo = cargo.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        if let Some(cargo) = cargo {
            self.copy_in(&cargo.join("config.toml"), &format!("{USER_FOLDER}/.cargo/config.toml"))?;
        }
        let settings = Step::of("apt-config", ["dump"]).output().unwrap_or_default();
        write(&self.inside("/etc/apt/apt.conf.d/00network"), &apt_network_settings(&settings))
    }

    /// Copies a file of this machine, if it has it.
    fn copy_in(&self, file: &Path, to: &str) -> Result<(), Failure> {
        let to = self.inside(to);
        if !file.is_absolute() || !file.is_file() {
            return Ok(());
        }
        let text = fs::read(file).map_err(|cause| file_failure(file, cause))?;
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(|cause| file_failure(folder, cause))?;
        }
        fs::write(&to, text).map_err(|cause| file_failure(&to, cause))
    }

    fn inside(&self, path: &str) -> PathBuf {
        self.path.join(path.trim_start_matches('/'))
    }
}

/// The toolchain that runs this command.
fn toolchain() -> Result<PathBuf, Failure> {
    let sysroot = Step::of("rustc", ["--print", "sysroot"]).output().map(PathBuf::from);
    // Distributions install Rust among everything else, in /usr.
    sysroot.filter(|sysroot| sysroot != Path::new("/usr")).ok_or(Failure::Missing {
        tool: "a Rust toolchain in a folder of its own",
        install: "rustup toolchain install stable",
    })
}

fn network_variables() -> Vec<(String, String)> {
    let is_network = |name: &str| {
        NETWORK_VARIABLES.contains(&name) || NETWORK_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    // A token is for publishing, which nothing here does.
    std::env::vars().filter(|(name, _)| is_network(name) && !name.ends_with("_TOKEN")).collect()
}

/// Picks the settings for the network from what `apt-config dump` prints. An empty value only opens a group.
fn apt_network_settings(dump: &str) -> String {
    let settings = dump.lines().filter(|line| {
        APT_PREFIXES.iter().any(|prefix| line.starts_with(prefix)) && !line.ends_with(" \"\";")
    });
    settings.map(|line| format!("{line}\n")).collect()
}

/// Removes a system, unless something is mounted in it.
fn remove(path: &Path) -> Result<(), Failure> {
    let mounts = fs::read_to_string("/proc/self/mounts").map_err(|cause| file_failure(path, cause))?;
    if let Some(mount) = mount_in(path, &mounts) {
        return Err(Failure::Mounted { path: mount });
    }
    Step::of("rm", ["-rf", "--one-file-system"]).and(&[path.display().to_string()]).run()
}

/// The first mount in a folder, from the text of `/proc/self/mounts`.
fn mount_in(folder: &Path, mounts: &str) -> Option<PathBuf> {
    let mut points = mounts.lines().filter_map(|line| line.split(' ').nth(1));
    // The kernel writes spaces in paths as `\040`.
    let folder = PathBuf::from(folder.display().to_string().replace(' ', "\\040"));
    points.find(|point| Path::new(point).starts_with(&folder)).map(PathBuf::from)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|cause| file_failure(path, cause))
}

fn file_failure(path: &Path, cause: io::Error) -> Failure {
    Failure::File { path: path.to_owned(), cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_is_the_one_of_the_release() {
        let targets = "a-updates http://mirror.example/debian\na http://mirror.example/debian\na http://other.example\n";
        assert_eq!(mirror_of("a", targets).as_deref(), Some("http://mirror.example/debian"));
        assert_eq!(mirror_of("b", targets), None);
    }

    #[test]
    fn only_settings_of_the_network_are_taken_from_apt() {
        let dump = "APT::Architecture \"amd64\";\nAcquire::http \"\";\nAcquire::http::Proxy \"http://p.example:3128\";\n\
                    DPkg::Post-Invoke:: \"x\";\n";
        assert_eq!(apt_network_settings(dump), "Acquire::http::Proxy \"http://p.example:3128\";\n");
    }

    #[test]
    fn a_mount_in_a_folder_is_found() {
        let mounts = "proc /proc proc rw 0 0\ndev /target/bare/ci/dev devtmpfs rw 0 0\n";
        let found = mount_in(Path::new("/target/bare/ci"), mounts);
        assert_eq!(found, Some(PathBuf::from("/target/bare/ci/dev")));
        assert_eq!(mount_in(Path::new("/target/bare/c"), mounts), None);
        let mounts = "dev /my\\040target/ci/dev devtmpfs rw 0 0\n";
        assert!(mount_in(Path::new("/my target/ci"), mounts).is_some());
    }
}
