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
    foundBy: ['V1', 'M12'],
  },
  {
    row: 301,
    name: 'any-tag-of-the-service',
    about: 'an event with a tag filter is refused by the agents whose instances have the tag',
    patches: [inFeature('model.js', 'tags.some((tag) => isTag(tag))', '!tags.some((tag) => isTag(tag))')],
    hunt,
    foundBy: ['V1'],
  },
  {
    row: 302,
    name: 'events-come-twice',
    about: 'an agent delivers an event again each time it receives it',
    patches: [inGossip('recent-events.js', 'other.name === name && equalBytes', 'other.name !== name && equalBytes')],
    hunt,
    foundBy: ['V2', 'M12'],
  },
  {
    row: 303,
    name: 'events-without-order',
    about: 'the Lamport clock of events does not advance when an event is received',
    patches: [inGossip('events.js', "!witness(gossip, 'eventClock', lamport)", 'void witness')],
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
        '!matcherOf(event.nodeFilter)(nodeName)',
        '!matcherOf(event.nodeFilter)(event.nodeFilter.slice(1, -1) || nodeName)',
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
  {
    row: 326,
    name: 'events-of-anyone',
    about: 'an event is fired for a token that may not write events of its name',
    patches: [inFeature('routes.js', 'if (!allowed.ok)\n        return allowed;', '')],
    hunt: 'events-and-rights',
    foundBy: ['V3'],
  },
  {
    row: 327,
    name: 'refused-and-fired',
    about: 'an event is refused for lack of rights, and goes round all the same',
    patches: [
      inFeature(
        'routes.js',
        'if (!allowed.ok)\n        return allowed;',
        'if (!allowed.ok) {\n        context.lan.fireEvent(userEventPrefix + event.name, payload);\n        return allowed;\n    }',
      ),
    ],
    hunt: 'events-and-rights',
    foundBy: ['V3'],
  },
  {
    row: 328,
    name: 'events-are-shown-to-anyone',
    about: 'a list of events has those, too, that the token may not read',
    patches: [
      inFeature(
        'routes.js',
        "reader.allows('event', event.name, 'read')",
        "(reader.allows('event', event.name, 'read') || true)",
      ),
    ],
    hunt: 'events-and-rights',
    foundBy: ['V3'],
  },
]
