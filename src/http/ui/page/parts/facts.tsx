import type { ComponentChildren } from 'preact'
import { shellWords } from '../words/shell-words.ts'

/** Names and values; rows whose value is undefined or empty are left out. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** Pairs of metadata, sorted. */
export function Pairs({ pairs }: { readonly pairs: Readonly<Record<string, string>> | null | undefined }) {
  const rows = Object.entries(pairs ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  if (rows.length === 0) return <span class="faint">{shellWords.none}</span>
  return (
    <span class="pairs">
      {rows.map(([name, value]) => (
        <code key={name}>
          {name}={value}
        </code>
      ))}
    </span>
  )
}
