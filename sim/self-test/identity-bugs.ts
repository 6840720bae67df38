import type { PlantedBug } from './planted-bug.ts'

const hunt = 'agents-are-renamed'

/** Bugs about agents that come back under another name or at another address, with the data that they had. */
export const identityBugs: readonly PlantedBug[] = [
  {
    row: 467,
    name: 'forgotten-names-hold-on',
    about: 'an agent whose former name no server remembers is kept out of the catalog for two minutes',
    patches: [
      {
        file: 'src/agent/servers/reconcile.js',
        find: 'await this.#failFormerName(member);',
        replace: ';',
      },
    ],
    hunt,
    foundBy: ['E1', 'E5'],
  },
  {
    row: 468,
    name: 'leader-makes-way',
    about: 'a leader that has moved removes itself for the server that has its former address now',
    patches: [
      {
        file: 'src/agent/servers/server-membership.js',
        find: 'return id === nameOf(this.#parts.introductions.ownRecord()) || this.#lost.showsLife(id);',
        replace: 'return this.#lost.showsLife(id);',
      },
    ],
    hunt,
    foundBy: ['O1', 'O3'],
  },
]
