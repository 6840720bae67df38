/**
 * What the product is called: one object, made once at the start from the setting `names` and handed down to all that
 * shows or reads a name. No part of the program keeps one in its module, because simulated clusters of both namings
 * share a process. Texts of the program's own that stand as data are written under `svc`, and told by `toldUnder`.
 */
export interface Naming {
  /** In lower case: DNS domain, metrics, the servers' own service and their role in the pool. */
  readonly name: NamingName
  /** Capitalised, as in `X-Svc-Index` and `Svc agent`. */
  readonly title: 'Svc' | 'Consul'
  /** Other names under which an agent is addressed, unless the setting `aliases` says otherwise. */
  readonly aliases: readonly string[]
}

/** Values of the setting `names`: the product's own name, and that of the field. */
export const namingNames = ['svc', 'consul'] as const

export type NamingName = (typeof namingNames)[number]

/** The product's own name. The field's is its alias. */
export const svcNaming: Naming = { name: 'svc', title: 'Svc', aliases: ['consul'] }

/** The field's name, and no word of ours. */
export const fieldNaming: Naming = { name: 'consul', title: 'Consul', aliases: [] }

/** By the value of the setting `names`. */
export const namings: Readonly<Record<NamingName, Naming>> = { svc: svcNaming, consul: fieldNaming }

/** The naming of this name. Undefined: no naming is called so. */
export function namingOf(name: string): Naming | undefined {
  const known = namingNames.find((each) => each === name)
  return known === undefined ? undefined : namings[known]
}

/** What the program is called by the name or link it was started as: unless that names the field, it is the own one. */
export function namingOfProgram(program: string): Naming {
  return namingOf(program) ?? svcNaming
}
