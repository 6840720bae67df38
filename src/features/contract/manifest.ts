import type { Row, StateHook, TableDefinition } from '../../store/types.ts'
import type { CommandDefinition } from './command.ts'
import type { Route } from './route.ts'
import type { RouteContext } from './route-context.ts'
import type { ServedEndpoint, ServerDuty } from './server-context.ts'

/** The parts of a feature, which its folder contains and its `feature.ts` names. */
export interface Feature {
  readonly name: string
  readonly tables?: readonly TableDefinition<Row>[]
  readonly commands?: readonly CommandDefinition[]
  /**
   * Changes of this feature's own tables when something happens in another's, within the same transaction. Hooks of one
   * event run in the order of the list of features, then of this list.
   */
  readonly hooks?: readonly StateHook[]
  readonly endpoints?: readonly ServedEndpoint[]
  readonly routes?: readonly Route<RouteContext>[]
  readonly duties?: readonly ServerDuty[]
}
