import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { keptBeside } from '../../bin/bundle.js'
import { bundleOf } from '../../bin/launch.js'

/**
 * Puts the compiled program together as few files: `dist/bundle/svc.cjs` and `svc-sim.cjs`, what both share and what either
 * imports only when it is needed in `dist/bundle/parts`, and `svc-web.cjs`, with which `svc-sim build-web` makes a page of
 * what the simulator has in these files and a browser can run: Node takes longer to find hundreds of files than to run them.
 * `bin/launch.js` decides whether what is here is still what was compiled. Beside each file lies what V8 keeps of compiling it
 * (`keep-compiled.mjs`), for this version of Node. For the size of the package white space is left out and local variables
 * have short names: a stack still names the functions of the source, and the map beside each file its lines. Does nothing
 * when it would write the same again.
 *
 * `modules.json.br` has the compiled modules themselves, for the self-test of an installed program, which patches them: the
 * package holds the bundle and this file in their place.
 */
const root = new URL('../../', import.meta.url)
const path = (name) => fileURLToPath(new URL(name, root))
const entries = { svc: 'dist/src/host/main.js', 'svc-sim': 'dist/sim/main.js', 'svc-web': 'dist/sim/web/main.js' }
/** Of the entries, those that Node runs. */
const programs = ['svc', 'svc-sim']
const aside = path(`dist/bundle-${process.pid}`)

/** Maps to what was compiled help no reader: the compiler's own lead on to the source. */
const compilerMaps = {
  name: 'compiler-maps',
  load(id) {
    if (!id.startsWith(path('dist/'))) return null
    return { code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') }
  },
}

/**
 * The codec of DNS takes the class of its bytes from the global Buffer, which a browser does not have, and which another
 * package must not find there: it would expect all of Node's.
 */
const namedBuffer = {
  name: 'named-buffer',
  load(id) {
    if (!/\/dns2\/.*\.js$/.test(id)) return null
    const code = readFileSync(id, 'utf8')
    return /\bBuffer\b/.test(code) ? `const { Buffer } = require('node:buffer');${code}` : null
  },
}

/**
 * What hardly any agent uses runs when it is first used, not when the program is loaded. Expressions from outside are rare:
 * re2js takes 0.7 MB. It is in the same file, so that no run of the simulator reads one. Node's HTTP/2 takes 1.6 MB; the
 * listener has none, nor are names asked for over it.
 */
const http2Calls = { names: /(?<![.\w])http2\.(?=\w+\()/g, later: "require('node:http2')." }
const rareImports = [
  {
    file: 'dist/src/base/linear-regexp.js',
    line: "import { RE2JS, RE2JSException } from 're2js';",
    names: /\b(RE2JSException|RE2JS)\b/g,
    later: "require('re2js').$1",
  },
  { file: 'node_modules/fastify/lib/server.js', line: "const http2 = require('node:http2')", ...http2Calls },
  { file: 'node_modules/dns2/client/doh.js', line: "const http2 = require('node:http2');", ...http2Calls },
]
const rareImportsFound = new Set()

const whenFirstUsed = {
  name: 'when-first-used',
  transform(code, id) {
    const rare = rareImports.find(({ file }) => id.endsWith(`/${file}`))
    if (rare === undefined || !code.includes(rare.line)) return null
    rareImportsFound.add(rare)
    return { code: code.replace(rare.line, '').replaceAll(rare.names, rare.later), map: null }
  },
}

/**
 * The first loads a binary from its own folder. The other two compile JSON schemas for Fastify, 400 KB; the HTTP listener
 * has no such schema and tells Fastify so, which then never imports them.
 */
const notBundled = ['msgpackr-extract', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']

function isCurrent() {
  const isThere = (name) => bundleOf(name, root) !== undefined
  const isKept = (program) => existsSync(keptBeside(path(`dist/bundle/${program}.cjs`), program))
  const makers = [
    fileURLToPath(import.meta.url),
    path('test/tools/keep-compiled.mjs'),
    path('bin/launch.js'),
    path('bin/bundle.js'),
    path('bin/young-space.js'),
  ]
  const { mtimeMs } = statSync(path('dist/bundle/read-from'), { throwIfNoEntry: false }) ?? { mtimeMs: 0 }
  return (
    Object.keys(entries).every(isThere) &&
    programs.every(isKept) &&
    makers.every((maker) => statSync(maker).mtimeMs <= mtimeMs)
  )
}

/** Writes the files of the bundle; returns the digest of their texts. */
async function bundle() {
  const { rolldown } = await import('rolldown')
  const made = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, path(entry)])),
    platform: 'node',
    plugins: [compilerMaps, namedBuffer, whenFirstUsed],
    // The package's own entry finds its parts with a `require` that only Node understands.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    external: notBundled,
    // Of `bin/modules.js`, which loads modules one by one.
    transform: { define: { 'import.meta.offset': 'undefined' } },
    onLog(level, log) {
      if (level !== 'info' && level !== 'debug') throw new Error(log.message)
    },
  })
  const { output } = await made.write({
    dir: aside,
    format: 'cjs',
    strict: true,
    // V8's cache does not know which module an import is for.
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'parts/[name].cjs',
    sourcemap: true,
    comments: false,
    // `bin/bundle.js` reads it as such.
    charset: 'ascii',
    minify: { compress: false, mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: true } },
  })
  await made.close()
  const missed = rareImports.filter((rare) => !rareImportsFound.has(rare))
  if (missed.length > 0) throw new Error(`imported in another form: ${missed.map(({ file }) => file).join(', ')}`)
  const texts = output.filter(({ code }) => code !== undefined)
  const beyond = texts.filter(({ code }) => /[^\0-\x7f]/.test(code))
  if (beyond.length > 0) throw new Error(`not ASCII: ${beyond.map((file) => file.fileName).join(', ')}`)
  const left = texts.filter(({ code }) => /(?<![.\w$])import\(/.test(code))
  if (left.length > 0)
    throw new Error(`what is imported must be known now: ${left.map((file) => file.fileName).join(', ')}`)
  return texts
    .reduce((hash, { fileName, code }) => hash.update(`${fileName}\n${code}\n`), createHash('sha256'))
    .digest('hex')
}

/** Quality 10 writes 9 % less and takes six times as long, which was a third of a build. */
const forText = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } }

/** Modules of pages, which no self-test runs. */
const inBrowsers = /^(?:sim\/(?:page|web)|src\/http\/ui\/page)\//

async function keepModules() {
  const names = ['src', 'sim'].flatMap((part) =>
    readdirSync(path(`dist/${part}`), { recursive: true }).map((name) => `${part}/${name}`),
  )
  const modules = names
    .filter((name) => name.endsWith('.js') && !inBrowsers.test(name))
    .toSorted((a, b) => (a < b ? -1 : 1))
  const texts = Object.fromEntries(modules.map((name) => [name, readFileSync(path(`dist/${name}`), 'utf8')]))
  writeFileSync(`${aside}/modules.json.br`, await promisify(brotliCompress)(JSON.stringify(texts), forText))
}

/** Keeps what V8 compiles of all files; how the commands in it end is for tests to judge. */
function keepCompiled(program) {
  const argv = [path('test/tools/keep-compiled.mjs'), aside, program]
  const child = spawn(process.execPath, argv, { cwd: path('.'), stdio: ['ignore', 'ignore', 'inherit'] })
  return once(child, 'close')
}

async function bundleAll() {
  mkdirSync(aside)
  // Before the first module is read: what is compiled from now on is newer than this. `bin/launch.js` has the argument.
  writeFileSync(`${aside}/read-from`, 'The time of this file is that at which the bundler began to read.\n')
  const modules = keepModules()
  writeFileSync(`${aside}/digest`, await bundle())
  await Promise.all([...programs.map(keepCompiled), modules])
  rmSync(path('dist/bundle'), { recursive: true, force: true })
  renameSync(aside, path('dist/bundle'))
}

try {
  if (!isCurrent()) await bundleAll()
} finally {
  rmSync(aside, { recursive: true, force: true })
}
