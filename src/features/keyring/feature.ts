import type { Feature } from '../manifest.ts'
import { keyringRoutes } from './routes.ts'

/** The keys that gossip is encrypted with: listed and changed in the whole pool at once, by its own queries. */
export const keyringFeature: Feature = { name: 'keyring', routes: keyringRoutes }
