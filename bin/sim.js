import { fileURLToPath } from 'node:url'
import { loadBundle } from './bundle.js'
import { bundleOf } from './launch.js'

// What other programs import as `svc/sim`: from the bundle of `svc-sim`, or as it was compiled where that may be stale.
const root = new URL('../', import.meta.url)
const bundle = bundleOf('svc-sim', root)
const { library } =
  bundle === undefined ? await import(new URL('dist/sim/main.js', root).href) : loadBundle(fileURLToPath(bundle))

export const { createCluster, describeCluster } = library
