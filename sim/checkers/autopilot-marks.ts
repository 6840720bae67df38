import { checker } from './checker.ts'
import type { Facts } from './facts.ts'
import { type Reach, rareStates, toldStates } from './rare-states.ts'
import { nodeId } from './server-care.ts'

export const careMarks = rareStates({
  'removal by autopilot': 'a leader removed a server from the group that neither left nor was removed by an operator',
  'server promoted': 'a leader gave a vote to a server that had joined without one',
})

export const careTold = toldStates({
  'removal of dead servers forgone': [
    'autopilot: dead servers are not removed',
    'autopilot did not remove dead servers, because too few would be left',
  ],
  'server not added': [
    'autopilot: a server is not added',
    'autopilot did not add a server, because its Raft protocol does not fit',
  ],
})

/** Observes autopilot's changes of the Raft group. */
class CareMarks {
  readonly #reach: Reach<keyof typeof careMarks.marks>
  readonly #mayGo = new Set<string>()
  readonly #withoutVote = new Set<string>()

  constructor(reach: Reach<keyof typeof careMarks.marks>) {
    this.#reach = reach
  }

  mayGo(id: string): void {
    this.#mayGo.add(id)
  }

  changed({ before, configuration: { servers } }: Facts['members changed']): void {
    const present = new Set(servers.map(({ id }) => id))
    // An address that is removed was replaced by an ID, or belongs to a server that no leader manages.
    const isRemoved = (id: string): boolean => nodeId.test(id) && !present.has(id) && !this.#mayGo.has(id)
    if (before.some(isRemoved)) this.#reach('removal by autopilot')
    for (const { id, suffrage } of servers) {
      if (suffrage !== 'voter') this.#withoutVote.add(id)
      else if (this.#withoutVote.delete(id)) this.#reach('server promoted')
    }
  }
}

export const serversCaredFor = checker({
  codes: {},
  make: ({ of }) => new CareMarks(of(careMarks)),
  takes: {
    'removal allowed': (it, { id }) => it.mayGo(id),
    'members changed': (it, fact) => it.changed(fact),
  },
})
