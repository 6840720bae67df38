import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Debian's names of architectures. */
const architectures = { x64: 'amd64', arm64: 'arm64' }

/**
 * Writes `svc_VERSION_ARCHITECTURE.deb` into `target`: both programs as one file, the units of `deploy/systemd`, the user that
 * they name, manual pages, and an empty folder for the configuration. Nothing starts before an administrator has written one
 * and enabled the unit. Returns its name.
 */
export function writeDebianPackage({ root, program, version, bill, epochS, folder, target }) {
  const architecture = architectures[process.arch]
  if (architecture === undefined) throw new Error(`Debian has no name for the architecture ${process.arch}`)
  const tree = join(folder, 'debian')
  rmSync(tree, { recursive: true, force: true })
  for (const [name, { bytes, mode = 0o644 }] of filesOf({ root, program, version, bill })) {
    mkdirSync(dirname(join(tree, name)), { recursive: true, mode: 0o755 })
    writeFileSync(join(tree, name), bytes)
    chmodSync(join(tree, name), mode)
  }
  mkdirSync(join(tree, 'etc/svc.d'), { recursive: true })
  symlinkSync('svc', join(tree, 'usr/bin/svc-sim'))
  mkdirSync(join(tree, 'DEBIAN'))
  const sizeKiB = Math.ceil(
    Number(execFileSync('du', ['-sk', '--apparent-size', tree], { encoding: 'utf8' }).split('\t')[0]),
  )
  writeFileSync(join(tree, 'DEBIAN/control'), control({ version, architecture, sizeKiB }))
  for (const script of ['postinst', 'prerm', 'postrm']) {
    cpSync(join(root, 'deploy/debian', script), join(tree, 'DEBIAN', script))
    chmodSync(join(tree, 'DEBIAN', script), 0o755)
  }
  const name = `svc_${version}_${architecture}.deb`
  const flags = ['--root-owner-group', '-Zgzip', '-z6', '--build', tree, join(target, name)]
  execFileSync('dpkg-deb', flags, { env: { ...process.env, SOURCE_DATE_EPOCH: String(epochS) }, stdio: 'pipe' })
  return name
}

/** By their paths. */
function filesOf({ root, program, version, bill }) {
  const file = (name) => ({ bytes: readFileSync(join(root, name)) })
  const unit = (name) => [`usr/lib/systemd/system/${name}`, file(`deploy/systemd/${name}`)]
  const manual = (name, bytes) => [`usr/share/man/man1/${name}.1.gz`, { bytes: gzipSync(bytes, { level: 9 }) }]
  return [
    ['usr/bin/svc', { bytes: readFileSync(program), mode: 0o755 }],
    ...['svc.service', 'svc-backup.service', 'svc-backup.timer'].map(unit),
    ['usr/lib/sysusers.d/svc.conf', file('deploy/systemd/svc.sysusers')],
    manual('svc', readFileSync(join(root, 'docs/svc.1'))),
    manual('svc-sim', simulatorManual(root, version)),
    ['usr/share/doc/svc/README.md', file('README.md')],
    ['usr/share/doc/svc/operations.md', file('docs/operations.md')],
    ['usr/share/doc/svc/copyright', file('deploy/debian/copyright')],
    ['usr/share/doc/svc/sbom.cdx.json', { bytes: bill }],
  ]
}

function control({ version, architecture, sizeKiB }) {
  return `Package: svc
Version: ${version}
Section: net
Priority: optional
Architecture: ${architecture}
Installed-Size: ${sizeKiB}
Maintainer: The svc project <svc@localhost>
Depends: libc6 (>= 2.28), libstdc++6
Recommends: systemd
Description: clustered discovery, health catalog, keys and mesh certificates
 Agents in server or client mode keep a catalog of services and their health,
 keys and sessions, access control and a certificate authority for a mesh, and
 answer over HTTP and DNS. The package also has svc-sim, a deterministic
 simulator that runs the same agents. Node is contained in the program.
`
}

/** Each command's own help says more. */
function simulatorManual(root, version) {
  const help = execFileSync(process.execPath, [join(root, 'bin/svc-sim.js'), '--help'], { encoding: 'utf8' })
  const text = help
    .trimEnd()
    .replaceAll('\\', '\\e')
    .replaceAll(/^(?=[.'])/gm, '\\&')
    .replaceAll('-', '\\-')
  return `.TH SVC-SIM 1 "" "svc ${version}" "Svc"
.SH NAME
svc\\-sim \\- a deterministic simulator of svc clusters
.SH DESCRIPTION
.nf
${text}
.fi
.SH SEE ALSO
.BR svc (1)
`
}
