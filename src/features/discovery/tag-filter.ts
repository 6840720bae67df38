import { z } from 'zod'
import { hasBehaviour, newestRelease, type Release } from '../../model/release.ts'

/**
 * Which tags instances must have, as agents tell servers. Before `several-tags` it is one text, since then a list, under
 * another name: who reads the one finds the other empty. What came of that between agents of several releases follows from
 * these forms alone, wherever a request was forwarded on its way.
 */
export interface TagFilter {
  readonly serviceTag?: string | undefined
  readonly serviceTags?: readonly string[] | undefined
  /** Instances are filtered. */
  readonly tagFilter?: boolean | undefined
}

export const tagFilterFields = {
  serviceTag: z.string().optional(),
  serviceTags: z.array(z.string()).readonly().optional(),
  tagFilter: z.boolean().optional(),
}

/** What an agent of this release sends for the tags that its client has given, each of which an instance must have. */
export function tagsSent(tags: readonly string[], release: Release = newestRelease): TagFilter {
  const [first] = tags
  if (first === undefined) return {}
  return hasBehaviour(release, 'several-tags') ? { serviceTags: tags, tagFilter: true } : oneTagSent(first)
}

/** What every release sends for one tag where there can be no other, as in DNS. */
export function oneTagSent(tag: string): TagFilter {
  return { serviceTag: tag, tagFilter: true }
}

/**
 * The tags that an instance must have, as a server of this release reads it. `onlyLists`: of requests in the form of
 * `several-tags` this server knows nothing else.
 */
export function tagsRead(filter: TagFilter, release: Release = newestRelease, onlyLists = false): readonly string[] {
  const { serviceTag = '', serviceTags = [], tagFilter } = filter
  if (tagFilter !== true) return []
  if (!hasBehaviour(release, 'several-tags')) return [serviceTag]
  return serviceTag === '' || onlyLists ? serviceTags : [serviceTag]
}
