import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'

/**
 * Returns what the compiled module in `file` exports: the program module by module, as the self-test changes it. Node's
 * own loader takes a millisecond for each of two thousand modules, more than most of a planted program's runs take. Its
 * own loader is used if it was asked for source maps, which it alone supports, and for a program with a module in another
 * form, such as one with a switch for each of its mutants.
 *
 * This loader supports what the compiler writes of our source, and a test holds it to that:
 *
 * 1. Each `import` and `export` stands at the beginning of a line, and imports stand before everything else. So a
 *    module's imports can run first, in their order, as the language demands.
 * 2. No exported variable is assigned later and no modules import each other in a circle (`npm run layers`). So an import
 *    can be a constant that is read once.
 * 3. A package may exist as modules only, so Node imports it, before the first of our modules runs.
 *
 * A module's text keeps its length and its lines, because V8's counts of what ran are offsets into it: those of the
 * compiled file, and `import.meta.offset` more.
 */
export async function loadModules(file) {
  const fresh = process.sourceMapsEnabled && !isLinked ? undefined : read(file)
  if (fresh === undefined) return importModules(file)
  const wanted = fresh.flatMap((module) => module.wanted.filter(isPackage))
  await Promise.all(wanted.map(importPackage))
  return run(file)
}

/**
 * A planted copy of the program has links to the modules that are not changed (`sim/platform/program-modules.ts`). Here they
 * import each other by the paths of the links. Node's own loader follows links, and would load the program without the
 * change.
 */
const isLinked = existsSync(new URL('../dist/linked', import.meta.url))

function importModules(file) {
  if (isLinked) throw new Error(`${file}: a module of this linked copy is not in the form that the compiler writes`)
  return import(pathToFileURL(file).href)
}

/** By path: `{ body, href, wanted, named, isRunning, exports }`; `exports` is there once the module has run. */
const known = new Map()
/** By specifier. */
const packages = new Map()

const isPackage = (specifier) => !specifier.startsWith('.')

async function importPackage(specifier) {
  if (!packages.has(specifier)) packages.set(specifier, await import(specifier))
}

/**
 * Compiles a module and all that it imports, unless that has been done; returns what was compiled, or undefined if one
 * has another form.
 */
function read(first) {
  const [waiting, fresh] = [[first], []]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (known.has(path)) continue
    const module = compiled(path)
    if (module === undefined) return undefined
    known.set(path, module)
    fresh.push(module)
    for (const specifier of module.wanted) if (!isPackage(specifier)) waiting.push(resolve(dirname(path), specifier))
  }
  return fresh
}

function run(path) {
  const module = known.get(path)
  if (module.exports !== undefined) return module.exports
  if (module.isRunning) throw new Error(`${path} imports itself, through others`)
  module.isRunning = true
  const { href } = module
  const folder = dirname(path)
  const load = (specifier) => {
    const exports = isPackage(specifier) ? packages.get(specifier) : run(resolve(folder, specifier))
    const missing = module.named.get(specifier)?.find((name) => !(name in exports))
    if (missing !== undefined)
      throw new SyntaxError(`'${specifier}' does not export '${missing}', which ${href} imports`)
    return exports
  }
  const later = (specifier) => (isPackage(specifier) ? import(specifier) : loadModules(resolve(folder, specifier)))
  module.exports = Object.freeze(
    module.body(load, (specifier) => load(specifier).default, later, { url: href, offset: before.length }),
  )
  return module.exports
}

const importOrExport = new RegExp(
  [
    /^import (?:(?<space>\* as \w+|\w+)|\{(?<list>[^}]*)\})? ?(?:from )?(?<quoted>(?<quote>['"])(?<wanted>[^'"]+)\k<quote>);$/,
    /^export (?<kind>const|function\*?|async function\*?|class) (?<name>\w+)/,
    /^export \{\};$/,
    /(?<![.\w$])import\((?=['"])/,
    /\bimport\.meta\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
)

/** Modules are strict. */
const before = "(function ($, $d, $later, $meta) {'use strict';"

function compiled(path) {
  const { text, wanted, named, exported } = translated(path)
  const { href } = pathToFileURL(path)
  const script = scriptOf(`${before}${text}\nreturn {${exported.join()}}})`, href)
  return script && { body: script.runInThisContext(), href, wanted, named, isRunning: false, exports: undefined }
}

/** `wanted`: what the module imports. `named`: the names that it imports from each. `exported`: its own names. */
function translated(path) {
  const [wanted, named, exported] = [[], new Map(), []]
  const text = readFileSync(path, 'utf8').replace(importOrExport, (found, ...rest) => {
    const groups = rest.at(-1)
    const same = (translation) => {
      if (translation.length > found.length) throw new Error(`${path}: no room for ${translation}`)
      return translation.padEnd(found.length)
    }
    if (groups.wanted !== undefined) {
      wanted.push(groups.wanted)
      const names = (groups.list ?? '').split(',').map((pair) => pair.trim().split(' as ')[0])
      named.set(groups.wanted, [...(named.get(groups.wanted) ?? []), ...names.filter(Boolean)])
      return same(importing(groups))
    }
    if (groups.name !== undefined) {
      exported.push(groups.name)
      return found.slice('export '.length).padStart(found.length)
    }
    if (found === 'import.meta') return same('$meta')
    return found === 'import(' ? same('$later(') : same('')
  })
  return { text, wanted, named, exported }
}

/**
 * Returns undefined if the text does not compile: an `import` or `export` that was not translated does not, and neither
 * does a mistake, which Node's own loader then reports.
 */
function scriptOf(text, filename) {
  try {
    // On the first line columns are those of the file, too.
    return new Script(text, { filename, columnOffset: -before.length })
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

function importing({ list, space, quoted }) {
  if (list !== undefined) return `const{${list.replaceAll(' as ', ':')}}=$(${quoted});`
  if (space === undefined) return `$(${quoted});`
  const all = /^\* as (.+)$/.exec(space)?.[1]
  return all === undefined ? `const ${space}=$d(${quoted});` : `const ${all}=$(${quoted});`
}
