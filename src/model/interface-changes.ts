import type { ReleaseChange } from './release-change.ts'

/** Changes of what agents say to clients, to operators and to each other when they are asked, oldest first. See `changes`. */
export const interfaceChanges = {
  'several-tags': {
    since: { major: 1, minor: 3, patch: 0 },
    reference: 'REL-1.3.0-1, REL-1.3.0-4',
    what: 'Of several `tag=` the first counts, and goes to servers as one text. Since then all count, and go as a list. Of a list older servers know nothing: they look for instances with an empty tag, and find none.',
    who: 'clients that ask for several tags; and those of an agent that was upgraded before its servers, to which every query with a tag answers nothing',
    see: { scenario: 'upgrade-1.2-to-1.3-tag-filter' },
    requirements: ['CAT-022', 'UPG-006', 'UPG-058'],
  },
  'catalog-reads-one-tag': {
    since: { major: 1, minor: 3, patch: 1 },
    reference: 'REL-1.3.0-2, REL-1.3.0-3, REL-1.3.1-1',
    what: 'The catalog of 1.3.0 looks for a list of tags alone, finds an empty one where an older agent sent one text, and lets everything through. Since then it reads the one text as well, as health always has.',
    who: 'clients of agents before 1.3, whose servers were upgraded to 1.3.0: /v1/catalog/service tells of every instance, whatever its tags',
    see: { scenario: 'upgrade-1.2-to-1.3-tag-filter' },
    requirements: ['CAT-025', 'CAT-026', 'CAT-027', 'DNS-018', 'UPG-007'],
  },
} as const satisfies Record<string, ReleaseChange>
