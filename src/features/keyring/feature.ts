import type { Feature } from '../contract/manifest.ts'
import { poolKeysEndpoint } from './endpoint.ts'
import { keyringRoutes } from './routes.ts'

/** The keys that gossip is encrypted with: listed and changed in whole pools at once, by their own queries. */
export const keyringFeature: Feature = {
  name: 'keyring',
  endpoints: [poolKeysEndpoint],
  routes: keyringRoutes,
}
