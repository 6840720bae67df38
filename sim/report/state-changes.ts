/** A state as plain data: records by name, lists, texts, numbers. */
export type StatePart = Readonly<Record<string, unknown>>

/**
 * The changes from `before` to `after`: members that differ, within records only what differs there, and null for
 * removed members. Lists are given whole. Undefined: nothing differs.
 */
export function changesOf(before: StatePart, after: StatePart): StatePart | undefined {
  const changes: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(after)) {
    const change = Object.hasOwn(before, name) ? changeOf(before[name], value) : value
    if (change !== undefined) changes[name] = change
  }
  for (const name of Object.keys(before)) {
    if (before[name] !== undefined && after[name] === undefined) changes[name] = null
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}

function changeOf(before: unknown, after: unknown): unknown {
  if (isPart(before) && isPart(after)) return changesOf(before, after)
  return JSON.stringify(before) === JSON.stringify(after) ? undefined : after
}

/** The state after changes. Neither argument is modified. */
export function withChanges(before: StatePart, changes: StatePart): StatePart {
  const after: Record<string, unknown> = { ...before }
  for (const [name, change] of Object.entries(changes)) {
    const was = before[name]
    if (change === null) delete after[name]
    else after[name] = isPart(was) && isPart(change) ? withChanges(was, change) : change
  }
  return after
}

function isPart(value: unknown): value is StatePart {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
