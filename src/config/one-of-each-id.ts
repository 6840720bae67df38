import { lowerAscii } from '../base/letter-case.ts'
import type { CheckDefinition, ServiceDefinition } from '../model/catalog.ts'

/** The definitions of one source. */
export interface Found<Source> {
  readonly source: Source
  readonly defined: ServiceDefinition | CheckDefinition
}

/** One ID that two sources define. */
export interface Duplicate<Source> {
  readonly kind: 'service' | 'check'
  readonly id: string
  readonly earlier: Source
  readonly later: Source
}

export function isService(defined: ServiceDefinition | CheckDefinition): defined is ServiceDefinition {
  return 'service' in defined
}

export function isCheck(defined: ServiceDefinition | CheckDefinition): defined is CheckDefinition {
  return !isService(defined)
}

/**
 * Of several definitions with the same ID the last one counts, as in the field; the order is kept. IDs are compared
 * without case, because the agent does (agent/local/entries). A dropped service takes its checks and its sidecar along,
 * a dropped check of a service only itself.
 */
export function lastOfEachId<Source>(found: readonly Found<Source>[]): {
  readonly kept: readonly Found<Source>[]
  readonly duplicates: readonly Duplicate<Source>[]
} {
  const claims = new Claims<Source>()
  const kept: Found<Source>[] = []
  for (const each of [...found].reverse()) {
    const defined = isService(each.defined)
      ? claims.service(each.defined, each.source)
      : claims.checks([each.defined], each.source)[0]
    if (defined !== undefined) kept.push({ source: each.source, defined })
  }
  return { kept: kept.reverse(), duplicates: claims.duplicates.reverse() }
}

/** IDs that later sources have. */
class Claims<Source> {
  readonly duplicates: Duplicate<Source>[] = []
  readonly #later = new Map<string, Source>()

  service(defined: ServiceDefinition, source: Source): ServiceDefinition | undefined {
    const { service, checks, sidecar } = defined
    const ids = sidecar === undefined ? [service.id] : [service.id, sidecar.service.id]
    const isFree = ids.map((id) => this.#isFree('service', id, source))
    if (isFree.includes(false)) return undefined
    for (const id of ids) this.#later.set(keyOf('service', id), source)
    const beside = sidecar === undefined ? {} : { sidecar: { ...sidecar, checks: this.checks(sidecar.checks, source) } }
    return { ...defined, checks: this.checks(checks, source), ...beside }
  }

  checks(checks: readonly CheckDefinition[], source: Source): readonly CheckDefinition[] {
    const kept = [...checks].reverse().filter(({ checkId }) => {
      const isFree = this.#isFree('check', checkId, source)
      if (isFree) this.#later.set(keyOf('check', checkId), source)
      return isFree
    })
    return kept.reverse()
  }

  #isFree(kind: 'service' | 'check', id: string, earlier: Source): boolean {
    const later = this.#later.get(keyOf(kind, id))
    if (later !== undefined) this.duplicates.push({ kind, id, earlier, later })
    return later === undefined
  }
}

function keyOf(kind: 'service' | 'check', id: string): string {
  return `${kind} ${lowerAscii(id)}`
}
