import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getAsset, isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import type { Shipped, ShippedName } from '../env/shipped.ts'

/**
 * The files that the build put into `dist/pages` of the program, each read once, when it is first asked for. The folder
 * is found from this module, which runs as source, compiled, or within a file of the bundle; a program in one file has
 * them inside.
 */
export function shippedFiles(): Shipped {
  const read = new Map<ShippedName, Uint8Array | undefined>()
  return {
    file: (name) => {
      if (!read.has(name)) read.set(name, isSea() ? fileInside(name) : fileBeside(name))
      return read.get(name)
    },
  }
}

function fileInside(name: ShippedName): Uint8Array {
  return new Uint8Array(getAsset(`dist/pages/${name}`))
}

function fileBeside(name: ShippedName): Uint8Array | undefined {
  return fileAbove(dirname(fileURLToPath(import.meta.url)), join('dist', 'pages', name))
}

/** Not beyond the program's own folder, which alone has a manifest: what lies above belongs to others. */
function fileAbove(folder: string, name: string): Uint8Array | undefined {
  const path = join(folder, name)
  if (existsSync(path)) return new Uint8Array(readFileSync(path))
  const above = dirname(folder)
  return existsSync(join(folder, 'package.json')) || above === folder ? undefined : fileAbove(above, name)
}
