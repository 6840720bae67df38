import type { Route } from '../route.ts'
import { explainRoutes } from './explain.ts'
import { legacyRoutes } from './legacy-routes.ts'
import { policyRoutes } from './policy-routes.ts'
import { systemRoutes } from './system-routes.ts'
import { tokenRoutes } from './token-routes.ts'
import { translateRoutes } from './translate-routes.ts'

export const aclRoutes: readonly Route[] = [
  ...systemRoutes,
  ...tokenRoutes,
  ...policyRoutes,
  ...translateRoutes,
  ...explainRoutes,
  ...legacyRoutes,
]
