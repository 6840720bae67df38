import type { z } from 'zod'
import type { ActionScope } from './action-scope.ts'
import type { FaultWorld, Performed } from './fault-world.ts'

/** One thing that faults and steps can do to the cluster. */
export interface Action<Schema extends z.ZodType = z.ZodType> {
  /** What stands behind its key in a file, and what the language page says of it. */
  readonly schema: Schema
  perform(world: FaultWorld, given: z.output<Schema>, scope: ActionScope): Performed
}

export function action<Schema extends z.ZodType>(
  schema: Schema,
  perform: (world: FaultWorld, given: z.output<Schema>, scope: ActionScope) => Performed,
): Action<Schema> {
  return { schema, perform }
}
