/**
 * The product's names: one object, created once at the start from the setting `names` and passed to everything that
 * shows or reads a name. No module keeps one, because simulated clusters of both namings share a process. Texts of the
 * program that are data are written with `svc`, and converted by `toldUnder`.
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

/** The naming of the field, without any name of ours. */
export const fieldNaming: Naming = { name: 'consul', title: 'Consul', aliases: [] }

/** By the value of the setting `names`. */
export const namings: Readonly<Record<NamingName, Naming>> = { svc: svcNaming, consul: fieldNaming }

/** The naming with this name; undefined: there is none. */
export function namingOf(name: string): Naming | undefined {
  const known = namingNames.find((each) => each === name)
  return known === undefined ? undefined : namings[known]
}

/**
 * The naming that belongs to the name or link by which the program was started: the field's if the name is the field's,
 * otherwise our own.
 */
export function namingOfProgram(program: string): Naming {
  return namingOf(program) ?? svcNaming
}
