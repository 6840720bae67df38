import type { Need, View } from '../checkers/access/access-facts.ts'
import type { VisitMemory } from './visit-memory.ts'

/** A request, and the rights about which its answer tells something. */
export interface VisitRequest {
  /** As text: `write shop-1/door`. */
  readonly what: string
  readonly method: string
  readonly target: string
  readonly body?: string
  /** What an operator requests before, so that the rights that this request needs are known. */
  readonly first?: { readonly method: string; readonly target: string; readonly body: string }
  /** A text that only this request puts into the replicated state, once it has taken effect. */
  readonly mark?: string
  /** A 200 needs all of these rights. */
  readonly needs: readonly Need[]
  /** Without one of these rights, the request is refused; absent: `needs`. */
  readonly refusedWithout?: readonly Need[]
  /** The rights needed to see what a 200 shows. */
  readonly shown?: (body: string) => readonly Need[]
  /** The list that it asks for, and the names of the parts that a 200 shows. A 404 shows none. */
  readonly lists?: { readonly view: View; readonly names: (body: string) => readonly string[] }
  /** The rights whose lack a 200 reports. */
  readonly denied?: (body: string) => readonly Need[]
  /** The rights whose lack a 409 reports. */
  readonly refused?: (body: string) => readonly Need[]
  /** The rights whose lack a "not found" shows, if the thing surely exists; undefined: it may not exist. */
  readonly hidden?: () => readonly Need[] | undefined
  /**
   * Whether the state may explain a 400; absent: it never does, so that only missing rights could, because every visit
   * is right in form.
   */
  readonly explained?: () => boolean
  /** Called with the body of a 200, and with any answer that has an index. */
  readonly done?: (body: string) => void
  readonly indexed?: (index: number) => void
}

/** The values from which a request is made. */
export interface VisitDrawn {
  /** Name of a key, service, event or query. */
  readonly name: string
  readonly other: string
  /** Name of a node. */
  readonly node: string
  readonly mark: string
  readonly memory: VisitMemory
}

export function writes(resource: string, name: string): Need {
  return { resource, name, right: 'write' }
}

export function get(target: string, needs: readonly Need[]): VisitRequest {
  return { what: `GET ${target}`, method: 'GET', target, needs }
}

type Sent = Pick<VisitRequest, 'mark' | 'done' | 'explained'> & { readonly body?: string | object }

export function send(
  method: string,
  target: string,
  needs: readonly Need[],
  { body, ...more }: Sent = {},
): VisitRequest {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  return { what: `${method} ${target}`, method, target, needs, ...sent, ...more }
}

export function put(target: string, needs: readonly Need[], sent: Sent = {}): VisitRequest {
  return send('PUT', target, needs, sent)
}
