import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Adds to package-lock.json the optional packages of other platforms that the registry in use does not carry. `npm
 * install` leaves such packages out, and then `npm ci` refuses the file everywhere. Run it after `npm install`:
 * `node test/tools/complete-lockfile.mjs`. With `--check` it writes nothing, lists what is missing and exits 1.
 */
const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']
const libraries = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' }

/** The platform of a package, which by the custom of native packages is in its name. */
function platformOf(name) {
  const words = name.split(/[-/]/)
  const os = systems.filter((system) => words.includes(system))
  const cpu = processors.filter((processor) => words.includes(processor))
  const libc = Object.entries(libraries).flatMap(([word, library]) => (words.includes(word) ? [library] : []))
  return { ...(cpu.length > 0 && { cpu }), ...(libc.length > 0 && { libc }), ...(os.length > 0 && { os }) }
}

function missingFrom(packages) {
  const missing = new Map()
  for (const [place, parent] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const found = `${place}/node_modules/${name}` in packages || `node_modules/${name}` in packages
      if (!found) missing.set(name, { version, dev: parent.dev === true })
    }
  }
  return missing
}

const path = new URL('../../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8'))
const missing = missingFrom(lock.packages)

for (const [name, { version, dev }] of missing) {
  if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}: ${version} is a range, its version cannot be told`)
  const entry = { version, ...(dev && { dev: true }), optional: true, ...platformOf(name) }
  if (entry.os === undefined && entry.cpu === undefined) throw new Error(`${name}: its platform cannot be told`)
  lock.packages[`node_modules/${name}`] = entry
}

if (process.argv.includes('--check')) {
  for (const name of missing.keys()) process.stdout.write(`missing from package-lock.json: ${name}\n`)
  process.exitCode = missing.size === 0 ? 0 : 1
} else {
  const order = ([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(order))
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
  process.stdout.write(`package-lock.json: ${missing.size} packages of other platforms added\n`)
}
