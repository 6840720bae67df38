import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** What of Vite's interface for plugins is used here. */
interface ResolvingPlugin {
  readonly name: string
  readonly enforce: 'pre'
  resolveId(source: string, importer: string | undefined): string | undefined
}

/**
 * Lets tests import the modules of `src` and `sim` as they were compiled into `dist`, in the checkout `root` or in
 * `program`, a folder with a copy of the program. To compile a thousand modules anew for each of six projects costs more
 * than many a project's tests. Throws where one is not there; whether it is current is for `npm run build` to see to,
 * which goes before.
 */
export function builtModules(root: URL, program = root): ResolvingPlugin {
  const [sources, dist] = [['src/', 'sim/'].map((part) => new URL(part, root).href), new URL('dist/', program)]
  return {
    name: 'built-modules',
    enforce: 'pre',
    resolveId: (source, importer) => {
      if (importer === undefined || !/^\.\.?\/.*\.ts$/.test(source)) return undefined
      const { href } = new URL(source, pathToFileURL(importer))
      if (!sources.some((part) => href.startsWith(part))) return undefined
      const built = fileURLToPath(new URL(href.slice(root.href.length).replace(/\.ts$/, '.js'), dist))
      if (!existsSync(built)) throw new Error(`${built} is not there: npm run build`)
      return built
    },
  }
}
