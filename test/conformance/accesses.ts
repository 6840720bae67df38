import type { Operation, QueryParameters, Route } from '../../src/features/contract/route.ts'
import { placedOperations } from '../../src/http/openapi/document.ts'

interface Watched {
  readonly label: string
  readonly operation: { -readonly [Member in keyof Operation]: Operation[Member] }
  readonly handle: Operation['handle']
  readonly read: Set<string>
}

/** Notes what handlers of this process read of the requests that they get. */
export class Accesses {
  readonly #watched: readonly Watched[]

  constructor(routes: readonly Route[]) {
    this.#watched = placedOperations(routes).map(({ path, method, operation }) => {
      return { label: `${method} ${path}`, operation, handle: operation.handle, read: new Set<string>() }
    })
    for (const { operation, handle, read } of this.#watched) {
      operation.handle = (agent, request) => {
        read.add('')
        const headers = () => watchedHeaders(request.headers(), read)
        return handle(agent, { ...request, query: watchedQuery(request.query, read), headers })
      }
    }
  }

  close(): void {
    for (const { operation, handle } of this.#watched) operation.handle = handle
  }

  /** Those that were asked for. */
  operations(): readonly string[] {
    return this.#watched.filter(({ read }) => read.has('')).map(({ label }) => label)
  }

  undeclared(): readonly string[] {
    return this.#watched.flatMap(({ label, operation, read }) => {
      const declared = new Set(['', ...namesOf(operation)])
      return [...read].filter((name) => !declared.has(name)).map((name) => `${label}: ${name}`)
    })
  }

  unread(): readonly string[] {
    return this.#watched.flatMap(({ label, operation, read }) =>
      namesOf(operation)
        .filter((name) => !read.has(name))
        .map((name) => `${label}: ${name}`),
    )
  }
}

function namesOf({ query, headers = [] }: Operation): readonly string[] {
  return [...query.map(({ name }) => name), ...headers.map(({ name }) => `header ${name}`)]
}

function watchedQuery(query: QueryParameters, read: Set<string>): QueryParameters {
  const noted = <T>(use: (name: string) => T) => {
    return (name: string): T => {
      read.add(name)
      return use(name)
    }
  }
  return {
    has: noted((name) => query.has(name)),
    get: noted((name) => query.get(name)),
    all: noted((name) => query.all(name)),
    encoded: () => query.encoded(),
  }
}

function watchedHeaders(headers: ReadonlyMap<string, string>, read: Set<string>): ReadonlyMap<string, string> {
  return new Proxy(headers, {
    get: (map, member) => {
      const value: unknown = Reflect.get(map, member)
      if (typeof value !== 'function') return value
      return (...given: readonly unknown[]): unknown => {
        if (member === 'get' || member === 'has') read.add(`header ${String(given[0])}`)
        return (value as (...args: unknown[]) => unknown).apply(map, [...given])
      }
    },
  })
}
