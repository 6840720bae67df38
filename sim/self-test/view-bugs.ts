import type { PlantedBug } from './planted-bug.ts'

const hunt = 'rights-are-few'

/** Bugs of lists that do not show callers with few rights what they may see. */
export const viewBugs: readonly PlantedBug[] = [
  {
    row: 464,
    name: 'ways-in-are-hidden',
    about: 'a caller with few rights sees no instance through which a service is reached over the mesh',
    patches: [
      {
        file: 'src/features/health/endpoint.js',
        find: 'connect && !seesService(authorizer, service) ? []',
        replace: 'connect && !authorizer.unrestricted ? []',
      },
    ],
    hunt,
    foundBy: ['A7'],
  },
  {
    row: 465,
    name: 'sessions-are-for-writers',
    about: 'lists of sessions show only those that the caller may end',
    patches: [
      {
        file: 'src/features/session/endpoint.js',
        find: "return authorizer.allows('session', node, 'read');",
        replace: "return authorizer.allows('session', node, 'write');",
      },
    ],
    hunt,
    foundBy: ['A7'],
  },
  {
    row: 466,
    name: 'checks-of-nodes-are-hidden',
    about: 'a caller with few rights sees the checks of services alone, and not those of their nodes',
    patches: [
      {
        file: 'src/features/discovery/sight.js',
        find: 'return keptOf(checks, ({ node, serviceName }) => sees(authorizer, node, serviceName));',
        replace:
          "return keptOf(checks, ({ node, serviceName }) => serviceName !== '' && sees(authorizer, node, serviceName));",
      },
    ],
    hunt,
    foundBy: ['A7'],
  },
]
