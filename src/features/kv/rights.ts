import type { Ask, Authorizer } from '../../access/authorizer.ts'
import { byteString, textOfByteString } from '../../base/bytes.ts'
import { refusedUnlessAllowed } from '../contract/access.ts'

/** What may be done to keys. Keys are bytes, rules are text: a key is matched as the text that its bytes are. */

export function readingRefused(authorizer: Authorizer, key: string): Ask | undefined {
  return refusedUnlessAllowed(authorizer, 'key', textOfByteString(key), 'read')
}

export function writingRefused(authorizer: Authorizer, key: string): Ask | undefined {
  return refusedUnlessAllowed(authorizer, 'key', textOfByteString(key), 'write')
}

export function listingRefused(authorizer: Authorizer, prefix: string): Ask | undefined {
  return refusedUnlessAllowed(authorizer, 'key', textOfPrefix(prefix), 'list')
}

/** Keys under a prefix may be deleted only by a caller that may write each of them. */
export function treeRefused(authorizer: Authorizer, prefix: string): Ask | undefined {
  const name = textOfPrefix(prefix)
  return authorizer.writesTree(name) ? undefined : { resource: 'key', name, right: 'write' }
}

/**
 * A prefix may end within a letter of several bytes, and then covers keys whose rules begin with that letter: what is whole of
 * it is asked for, which covers more.
 */
function textOfPrefix(prefix: string): string {
  for (let end = prefix.length; end > 0; end--) {
    const text = textOfByteString(prefix.slice(0, end))
    if (byteString(text) === prefix.slice(0, end)) return text
  }
  return ''
}
