import type { CheckDefinition, ServiceDefinition } from '../model/catalog.ts'
import type { DefinitionSource } from './definitions.ts'

/** What one source defines. */
export interface Found {
  readonly source: DefinitionSource
  readonly defined: ServiceDefinition | CheckDefinition
}

/** One ID that two sources define. */
export interface Duplicate {
  readonly kind: 'service' | 'check'
  readonly id: string
  readonly earlier: DefinitionSource
  readonly later: DefinitionSource
}

export function isService(defined: Found['defined']): defined is ServiceDefinition {
  return 'service' in defined
}

export function isCheck(defined: Found['defined']): defined is CheckDefinition {
  return !isService(defined)
}

/**
 * Of several definitions with one ID the last one, as the field has it; the order stays. A service goes with its checks and its sidecar,
 * a check of a service alone.
 */
export function lastOfEachId(found: readonly Found[]): {
  readonly kept: readonly Found[]
  readonly duplicates: readonly Duplicate[]
} {
  const claims = new Claims()
  const kept: Found[] = []
  for (const each of [...found].reverse()) {
    const defined = isService(each.defined)
      ? claims.service(each.defined, each.source)
      : claims.checks([each.defined], each.source)[0]
    if (defined !== undefined) kept.push({ source: each.source, defined })
  }
  return { kept: kept.reverse(), duplicates: claims.duplicates.reverse() }
}

/** IDs that later sources have. */
class Claims {
  readonly duplicates: Duplicate[] = []
  readonly #later = new Map<string, DefinitionSource>()

  service(defined: ServiceDefinition, source: DefinitionSource): ServiceDefinition | undefined {
    const { service, checks, sidecar } = defined
    const ids = sidecar === undefined ? [service.id] : [service.id, sidecar.service.id]
    const isFree = ids.map((id) => this.#isFree('service', id, source))
    if (isFree.includes(false)) return undefined
    for (const id of ids) this.#later.set(`service ${id}`, source)
    const beside = sidecar === undefined ? {} : { sidecar: { ...sidecar, checks: this.checks(sidecar.checks, source) } }
    return { ...defined, checks: this.checks(checks, source), ...beside }
  }

  checks(checks: readonly CheckDefinition[], source: DefinitionSource): readonly CheckDefinition[] {
    const kept = [...checks].reverse().filter(({ checkId }) => {
      const isFree = this.#isFree('check', checkId, source)
      if (isFree) this.#later.set(`check ${checkId}`, source)
      return isFree
    })
    return kept.reverse()
  }

  #isFree(kind: 'service' | 'check', id: string, earlier: DefinitionSource): boolean {
    const later = this.#later.get(`${kind} ${id}`)
    if (later !== undefined) this.duplicates.push({ kind, id, earlier, later })
    return later === undefined
  }
}
