import { lstatSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { getAsset } from 'node:sea'
import { brotliDecompressSync } from 'node:zlib'
import { loadBundle, loadBundleInMemory } from './bundle.js'
import { isOwn, ownCaches } from './compile-cache.js'

/**
 * The entry of the one file that is both programs and Node (`npm run package`). What it is started as says which: a name that
 * begins with `svc-sim` is the simulator, any other `svc`, so that a link of another name is `svc`, as with the package.
 *
 * `svc` runs from memory: an agent may have neither a home nor a folder that it may write. `svc-sim` starts workers and threads
 * that load files, and reads scenarios and pages: all of these it unpacks once into the user's cache folder.
 *
 * Where `/proc` is not mounted Node knows its own program only as it was called.
 */
const folder = dirname(resolve(process.execPath))

/** Flags for Node in front of the script. A program in one file has Node's flags in NODE_OPTIONS only; these say how large a heap begins. */
const heapFlag = /^--min-semi-space-size=\d+$/

/**
 * The script that a process of Node would have, and the words behind it. A child is started as Node is, with the script of its
 * parent as the first word, which no command is called like.
 */
function started() {
  const words = process.argv.slice(2)
  const at = words.findIndex((word) => !heapFlag.test(word))
  const first = words[at]
  const isChild = first !== undefined && isAbsolute(first) && dirname(first) === folder
  if (isChild) return { script: first, words: words.slice(at + 1) }
  return { script: join(folder, basename(process.argv0)), words }
}

/**
 * The folder with all files of the package. Node runs what it finds there, so no other user may be able to write it, or to put
 * another folder in its place:
 *
 * 1. It has the digest of the files in its name, is made under another name and renamed, so it is always whole.
 * 2. It and every folder above it belong to the user of this process or to root, and no other user may write them. So root does
 *    not run what lies in the home of the user that called `sudo`, although both may be called alike.
 * 3. Otherwise, or where none can be made, the files lie in a new folder of this process alone until it ends.
 */
function unpacked() {
  const caches = `${ownCaches()}-files`
  const kept = join(caches, getAsset('digest', 'utf8').slice(0, 32))
  if (isTrusted(kept)) return kept
  let aside
  try {
    mkdirSync(caches, { recursive: true, mode: 0o700 })
    if (!isTrusted(caches)) return unpackedForThisProcess()
    aside = mkdtempSync(`${kept}-`)
    unpackTo(aside)
    renameSync(aside, kept)
  } catch {
    // No folder can be written there, or another process was first.
    if (aside !== undefined) rmSync(aside, { recursive: true, force: true })
  }
  return isTrusted(kept) ? kept : unpackedForThisProcess()
}

function unpackedForThisProcess() {
  const own = mkdtempSync(join(tmpdir(), 'svc-'))
  process.once('exit', () => rmSync(own, { recursive: true, force: true }))
  unpackTo(own)
  return own
}

function unpackTo(target) {
  const files = JSON.parse(brotliDecompressSync(Buffer.from(getAsset('files'))).toString('utf8'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(target, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(target, name), Buffer.from(text, 'latin1'), { mode: 0o600 })
  }
}

function isTrusted(path) {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() !== true || process.geteuid === undefined || !isOwn(found)) return false
  return foldersAbove(realpathSync(path)).every((above) => {
    const { uid, mode } = lstatSync(above)
    const onlyOwn = (mode & 0o022) === 0 || (mode & sticky) !== 0
    return (uid === 0 || uid === process.geteuid()) && onlyOwn
  })
}

/** In such a folder, like `/tmp`, a user may not rename what belongs to another. */
const sticky = 0o1000

function foldersAbove(path) {
  const above = dirname(path)
  return above === path ? [] : [above, ...foldersAbove(above)]
}

async function run() {
  const { script, words } = started()
  process.argv = [process.execPath, script, ...words]
  const bundle = basename(script).startsWith('svc-sim') ? simulator() : agent()
  const code = await bundle.main(words, getAsset('revision', 'utf8').trim() || undefined)
  if (typeof code === 'number') process.exitCode = code
}

function simulator() {
  return loadBundle(join(unpacked(), 'dist/bundle/svc-sim.cjs'))
}

function agent() {
  const textOf = (path) => getAsset(relative(folder, path), 'utf8')
  return loadBundleInMemory(join(folder, 'dist/bundle/svc.cjs'), getAsset('dist/bundle/digest', 'utf8'), textOf)
}

// CommonJS cannot wait here: what it throws ends the process, as it would have.
void run()
