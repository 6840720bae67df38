import type { Ask, Authorizer } from '../../access/authorizer.ts'
import { byteString, textOfByteString } from '../../base/bytes.ts'
import { refusedUnlessAllowed } from '../contract/access.ts'

/** Rights to keys. Keys are bytes and rules are text: a key is matched by the text that its bytes encode. */

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
 * A prefix may end within a multi-byte character, and then covers keys whose rules begin with that character: the
 * rights are checked for its complete characters, which covers more.
 */
function textOfPrefix(prefix: string): string {
  for (let end = prefix.length; end > 0; end--) {
    const text = textOfByteString(prefix.slice(0, end))
    if (byteString(text) === prefix.slice(0, end)) return text
  }
  return ''
}
