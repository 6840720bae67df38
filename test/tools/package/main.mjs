import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeDebianPackage } from './debian.mjs'
import { packageFiles } from './files.mjs'
import { writeOneFile } from './one-file.mjs'
import { billOfMaterials } from './sbom.mjs'

/**
 * `npm run package [FOLDER]`: what can be installed, in FOLDER or `dist/packages`, all of it made of the build in `dist`:
 *
 *     svc-1.4.0.tgz                  the package of npm
 *     svc-1.4.0-linux-x64            both programs and Node in one file: `svc`, and under a name like the next one `svc-sim`
 *     svc-sim-1.4.0-linux-x64        the same bytes
 *     svc_1.4.0_amd64.deb            the same, with units and manual pages, where `dpkg-deb` is installed
 *     sbom.cdx.json                  what they contain
 *     SHA256SUMS
 *
 * The same commit, Node and npm give the same bytes. Times in archives are that of the commit, or SOURCE_DATE_EPOCH.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const [target = join(root, 'dist/packages')] = process.argv.slice(2)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Seconds since 1970. */
function sourceDate() {
  const given = process.env.SOURCE_DATE_EPOCH
  if (given !== undefined) {
    if (!/^\d{1,11}$/.test(given)) fail(`SOURCE_DATE_EPOCH is not a number of seconds since 1970: '${given}'`)
    return Number(given)
  }
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) fail('the time of the source is not known without its repository: set SOURCE_DATE_EPOCH')
  return Number(stdout)
}

function fail(text) {
  process.stderr.write(`npm run package: ${text}\n`)
  process.exit(2)
}

async function make(folder) {
  const epochS = sourceDate()
  const made = []
  const bill = billOfMaterials({ root, epochS })
  writeFileSync(join(target, 'sbom.cdx.json'), bill)
  made.push('sbom.cdx.json')
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', target], { cwd: root, stdio: 'pipe' })
  made.push(`svc-${version}.tgz`)
  if (process.platform !== 'linux')
    return { made, left: `programs in one file are made on Linux only, not on ${process.platform}` }
  const [program, simulator] = ['svc', 'svc-sim'].map((name) => `${name}-${version}-linux-${process.arch}`)
  await writeOneFile({ root, files: packageFiles(root), folder, target: join(target, program) })
  copyFileSync(join(target, program), join(target, simulator))
  made.push(program, simulator)
  if (spawnSync('dpkg-deb', ['--version']).status !== 0)
    return { made, left: 'no package of Debian: dpkg-deb is not installed' }
  made.push(writeDebianPackage({ root, program: join(target, program), version, bill, epochS, folder, target }))
  return { made, left: undefined }
}

if (!existsSync(join(root, 'dist/bundle/svc.cjs'))) fail('nothing is built yet: run "npm run build"')
mkdirSync(target, { recursive: true })
const folder = mkdtempSync(join(tmpdir(), 'svc-package-'))
try {
  const { made, left } = await make(folder)
  const sums = made.toSorted().map((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(target, name)))
      .digest('hex')
    return `${digest}  ${name}\n`
  })
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(`${sums.join('')}${left === undefined ? '' : `${left}\n`}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
