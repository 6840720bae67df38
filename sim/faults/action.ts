import type { z } from 'zod'
import type { ActionScope } from './action-scope.ts'
import type { FaultWorld, Performed } from './fault-world.ts'

/** One operation on the cluster that faults and steps can perform. */
export interface Action<Schema extends z.ZodType = z.ZodType> {
  /** The schema of its value in a file, with the description for the language page. */
  readonly schema: Schema
  perform(world: FaultWorld, given: z.output<Schema>, scope: ActionScope): Performed
}

export function action<Schema extends z.ZodType>(
  schema: Schema,
  perform: (world: FaultWorld, given: z.output<Schema>, scope: ActionScope) => Performed,
): Action<Schema> {
  return { schema, perform }
}
