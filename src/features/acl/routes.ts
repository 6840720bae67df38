import type { Route } from '../contract/route.ts'
import { legacyRoutes } from './legacy/legacy-routes.ts'
import { explainRoutes } from './system/explain.ts'
import { systemRoutes } from './system/system-routes.ts'
import { translateRoutes } from './system/translate-routes.ts'
import { policyRoutes } from './tokens/policy-routes.ts'
import { tokenRoutes } from './tokens/token-routes.ts'

export const aclRoutes: readonly Route[] = [
  ...systemRoutes,
  ...tokenRoutes,
  ...policyRoutes,
  ...translateRoutes,
  ...explainRoutes,
  ...legacyRoutes,
]
