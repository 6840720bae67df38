import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

/** A place in the program of Node that says whether something was put in: https://nodejs.org/api/single-executable-applications.html */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/**
 * Writes `target`: the program of this Node with `svc` and `svc-sim` inside. `files` are those of the package of npm, by their
 * names; `folder` is for what is needed on the way. The same files and the same Node give the same bytes.
 */
export async function writeOneFile({ root, files, folder, target }) {
  await bundleEntry(join(root, 'bin/one-file.js'), join(folder, 'main.cjs'))
  const assets = assetsOf({ files, folder })
  const blob = join(folder, 'blob')
  // The program contains this path as it is given, so it must not name the folder of one build.
  const config = { main: 'main.cjs', output: 'blob', disableExperimentalSEAWarning: true, useCodeCache: false, assets }
  writeFileSync(join(folder, 'sea.json'), JSON.stringify(config))
  const { status, stderr } = spawnSync(process.execPath, ['--experimental-sea-config', join(folder, 'sea.json')], {
    encoding: 'utf8',
    cwd: folder,
  })
  if (status !== 0) throw new Error(`node --experimental-sea-config: ${stderr}`)
  const { inject } = await import('postject')
  rmSync(target, { force: true })
  copyFileSync(process.execPath, target)
  await quietly(() => inject(target, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse: fuse }))
  chmodSync(target, 0o755)
}

/** Of a program in one file Node runs the main script only if it is CommonJS and imports nothing but Node's own modules. */
async function bundleEntry(entry, target) {
  const { rolldown } = await import('rolldown')
  const made = await rolldown({ input: entry, platform: 'node' })
  await made.write({ file: target, format: 'cjs', codeSplitting: false })
  await made.close()
}

/** What the entry asks for by name: texts of the bundle that `svc` runs, its web interface, and all files in one, which `svc-sim` unpacks. */
function assetsOf({ files, folder }) {
  const texts = new Map([...files].map(([name, bytes]) => [name, bytes.toString('latin1')]))
  const all = JSON.stringify(Object.fromEntries(texts))
  const packed = brotliCompressSync(all, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  })
  const made = new Map([
    ['files', packed],
    ['digest', Buffer.from(createHash('sha256').update(all).digest('hex'))],
    ['revision', files.get('dist/revision') ?? Buffer.alloc(0)],
    ...[...files].filter(([name]) =>
      /^dist\/(?:bundle\/(?:parts\/.+\.cjs|svc\.cjs|digest)|pages\/ui\.\w+\.gz)$/.test(name),
    ),
  ])
  return Object.fromEntries(
    [...made].map(([name, bytes]) => {
      const path = join(folder, 'assets', name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, bytes)
      return [name, path]
    }),
  )
}

/** The injector warns of sections of Node's program that it does not touch. */
async function quietly(work) {
  const { warn, error } = console
  console.warn = console.error = () => {}
  try {
    return await work()
  } finally {
    console.warn = warn
    console.error = error
  }
}
