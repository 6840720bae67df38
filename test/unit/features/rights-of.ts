import type { Ask, Authorizer, Resource, Right } from '../../../src/access/authorizer.ts'

/**
 * `resource:name:right`, such as `node:a:write` and `operator::read`. A right does not include others; a name is
 * matched whole.
 */
export type Grant = `${Resource}:${string}:${Right}`

/** An authorizer that allows what is listed and nothing else, and keeps what it was asked. */
export class Rights implements Authorizer {
  readonly accessor = 'test'
  readonly unrestricted = false
  readonly asked: Ask[] = []
  readonly #granted: ReadonlySet<string>

  constructor(granted: readonly Grant[] = []) {
    this.#granted = new Set(granted)
  }

  allows(resource: Resource, name: string, right: Right): boolean {
    this.asked.push({ resource, name, right })
    return this.#granted.has(`${resource}:${name}:${right}`)
  }

  readsAll(resource: Resource): boolean {
    this.asked.push({ resource, name: '', right: 'read' })
    return false
  }

  writesTree(prefix: string): boolean {
    return this.allows('key', prefix, 'write')
  }

  explain(resource: Resource, name: string, right: Right) {
    const allowed = this.#granted.has(`${resource}:${name}:${right}`)
    return { allowed, by: { kind: 'default', policy: 'deny' } } as const
  }
}
