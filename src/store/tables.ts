import type { TableState, Tables } from './version.ts'

/** `tables`, with these in place of those of the same names. */
export function withChanged(tables: Tables, changed: Iterable<TableState>): Tables {
  return (tables instanceof TableList ? tables : TableList.of(tables)).with(changed)
}

/**
 * There are some fifty tables, of which a command changes one or two: consecutive versions share the index by name, and
 * each has a list of its own.
 */
class TableList implements Tables {
  readonly #places: ReadonlyMap<string, number>
  readonly #states: readonly TableState[]

  private constructor(places: ReadonlyMap<string, number>, states: readonly TableState[]) {
    this.#places = places
    this.#states = states
  }

  static of(tables: Tables): TableList {
    const states = [...tables.values()]
    return new TableList(new Map(states.map(({ definition }, place) => [definition.name, place])), states)
  }

  get(name: string): TableState | undefined {
    const place = this.#places.get(name)
    return place === undefined ? undefined : this.#states[place]
  }

  with(changed: Iterable<TableState>): TableList {
    const states = this.#states.slice()
    for (const state of changed) {
      const place = this.#places.get(state.definition.name)
      if (place !== undefined) states[place] = state
    }
    return new TableList(this.#places, states)
  }

  values(): Iterable<TableState> {
    return this.#states
  }

  *[Symbol.iterator](): Generator<readonly [name: string, state: TableState], void> {
    for (const state of this.#states) yield [state.definition.name, state]
  }
}
