import { patchesOf } from './patch.ts'
import type { PlantedBug } from './planted-bug.ts'

const hunt = 'events-are-fired'
const inGossip = patchesOf('src/gossip/core')
const inFeature = patchesOf('src/features/event')
const inAgent = patchesOf('src/agent/pool')

/** Bugs of user events: on their way, in the lists of agents, and for those that wait. */
export const eventBugs: readonly PlantedBug[] = [
  {
    row: 300,
    name: 'events-end-where-they-come',
    about:
      'an agent does not forward events of other agents, so that most agents learn of them only by the exchange of full states',
    patches: [inGossip('events.js', "if (source !== 'exchange')", "if (source === 'own')")],
    hunt,
    foundBy: ['V1'],
  },
  {
    row: 301,
    name: 'any-tag-of-the-service',
    about: 'an event with a tag filter is refused by the agents whose instances have the tag',
    patches: [
      inFeature(
        'model.js',
        'tags.some((tag) => matches(event.tagFilter, tag))',
        '!tags.some((tag) => matches(event.tagFilter, tag))',
      ),
    ],
    hunt,
    foundBy: ['V1'],
  },
  {
    row: 302,
    name: 'events-come-twice',
    about: 'an agent delivers an event again each time it receives it',
    patches: [inGossip('recent-events.js', 'other.name === name && equalBytes', 'other.name !== name && equalBytes')],
    hunt,
    foundBy: ['V2'],
  },
  {
    row: 303,
    name: 'events-without-order',
    about: 'the Lamport clock of events does not advance when an event is received',
    patches: [inGossip('events.js', 'gossip.eventClock = Math.min(lamport + 1, lamportMax);', 'void lamportMax;')],
    hunt,
    foundBy: ['V2'],
  },
  {
    row: 304,
    name: 'named-agents-are-all',
    about: 'every agent accepts an event whose node filter names other agents',
    patches: [
      inFeature(
        'model.js',
        '!matches(event.nodeFilter, nodeName)',
        '!matches(event.nodeFilter, event.nodeFilter.slice(1, -1) || nodeName)',
      ),
    ],
    hunt,
    foundBy: ['V2'],
  },
  {
    row: 305,
    name: 'events-wake-nobody',
    about: 'a blocking query for events is answered only when its wait time is over',
    patches: [inAgent('user-events.js', 'this.#watchers.add(use);', 'void use;')],
    hunt,
    foundBy: ['W5'],
  },
  {
    row: 306,
    name: 'index-of-the-first-event',
    about: 'the index of a list of events is that of its oldest event',
    patches: [inFeature('model.js', 'events.at(-1)', 'events.at(0)')],
    hunt,
    foundBy: ['V2', 'W5'],
  },
]
