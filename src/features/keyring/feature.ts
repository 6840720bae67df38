import type { Feature } from '../contract/manifest.ts'
import { poolKeysEndpoint } from './endpoint.ts'
import { keyringRoutes } from './routes.ts'

/** The gossip encryption keys: listed and changed in whole pools at once, by gossip queries. */
export const keyringFeature: Feature = {
  name: 'keyring',
  endpoints: [poolKeysEndpoint],
  routes: keyringRoutes,
}
