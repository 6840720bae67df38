import type { OwnTree } from '../../checkers/keys/own-tree.ts'
import {
  type Asking,
  indexOf,
  keyOf,
  type OwnOperation,
  oneOf,
  prefixOf,
  read,
  toldBy,
  write,
  writtenOf,
} from './request.ts'
import { transaction } from './transaction.ts'

const separators = ['', '/', 'e'] as const

function reading(asking: Asking, keys: readonly string[], target: string) {
  const rows = keys.flatMap((key) => {
    const row = asking.tree.row(key)
    return row === undefined ? [] : [{ key, row, isBare: false }]
  })
  return read(asking, target, { said: 'rows', rows })
}

/** Names under a prefix, each cut after the first separator beyond the prefix. */
function namesUnder(tree: OwnTree, prefix: string, separator: string): readonly string[] {
  const cut = tree.under(prefix).map(([key]) => {
    const at = separator === '' ? -1 : key.indexOf(separator, prefix.length)
    return at < 0 ? key : key.slice(0, at + separator.length)
  })
  return [...new Set(cut)]
}

function namesText(names: readonly string[]): string {
  return ['names', ...names].join(' ')
}

const toldNames = toldBy((text) => ({ said: namesText(JSON.parse(text) as string[]), rows: [] }))

/** Operations on keys that no other client writes. */
export const keyOperations = {
  get: {
    weight: 4,
    about: 'reads a key',
    request: (asking) => {
      const key = keyOf(asking)
      return reading(asking, [key], `/v1/kv/${key}`)
    },
  },
  list: {
    weight: 3,
    about: 'reads all keys under a prefix',
    request: (asking) => {
      const prefix = prefixOf(asking)
      const keys = asking.tree.under(prefix).map(([key]) => key)
      return reading(asking, keys, `/v1/kv/${prefix}?recurse`)
    },
  },
  keys: {
    weight: 2,
    about: 'reads the names of keys under a prefix, with a separator or without',
    request: (asking) => {
      const prefix = prefixOf(asking)
      const separator = oneOf(separators, asking.draws)
      const said = namesText(namesUnder(asking.tree, prefix, separator))
      return read(asking, `/v1/kv/${prefix}?keys&separator=${separator}`, { said, rows: [] }, toldNames)
    },
  },
  put: {
    weight: 4,
    about: 'writes a key, with flags of up to 64 bits',
    request: (asking) => {
      const [key, written] = [keyOf(asking), writtenOf(asking)]
      const target = `/v1/kv/${key}?flags=${written.flags}`
      return write(asking, { method: 'PUT', target, body: written.value }, (tree) => {
        tree.put(key, written)
        return true
      })
    },
  },
  cas: {
    weight: 3,
    about: 'writes a key that has a certain index, or another one, or with index 0 a key that does not exist',
    request: (asking) => {
      const [key, written] = [keyOf(asking), writtenOf(asking)]
      const index = indexOf(asking, key)
      const target = `/v1/kv/${key}?cas=${index}&flags=${written.flags}`
      return write(asking, { method: 'PUT', target, body: written.value }, (tree) => {
        if (!tree.isAt(key, index)) return false
        tree.put(key, written)
        return true
      })
    },
  },
  delete: {
    weight: 2,
    about: 'removes a key',
    request: (asking) => {
      const key = keyOf(asking)
      return write(asking, { method: 'DELETE', target: `/v1/kv/${key}` }, (tree) => {
        tree.remove(key)
        return true
      })
    },
  },
  'delete-cas': {
    weight: 2,
    about: 'removes a key that has a certain index, or another one',
    request: (asking) => {
      const key = keyOf(asking)
      const index = indexOf(asking, key)
      const target = `/v1/kv/${key}?cas=${index}`
      return write(asking, { method: 'DELETE', target }, (tree) => tree.removeAt(key, index))
    },
  },
  'delete-tree': {
    weight: 1,
    about: 'removes all keys under a prefix',
    request: (asking) => {
      const prefix = prefixOf(asking)
      return write(asking, { method: 'DELETE', target: `/v1/kv/${prefix}?recurse` }, (tree) => {
        tree.removeTree(prefix)
        return true
      })
    },
  },
  txn: {
    weight: 6,
    about: 'makes one transaction of up to five operations of every verb',
    request: transaction,
  },
} as const satisfies Readonly<Record<string, OwnOperation>>
