import type { Feature } from '../contract/manifest.ts'
import { transactionApply } from './commands.ts'
import { applyEndpoint, readEndpoint } from './endpoint.ts'
import { txnRoutes } from './routes.ts'

/** Several operations on keys as one. */
export const txnFeature: Feature = {
  name: 'txn',
  commands: [transactionApply],
  endpoints: [applyEndpoint, readEndpoint],
  routes: txnRoutes,
}
