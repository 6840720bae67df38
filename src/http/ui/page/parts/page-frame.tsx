import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useCaller } from '../live/context.ts'
import type { Live } from '../live/use-live.ts'
import { shellWords } from '../words/shell-words.ts'
import { Empty } from './empty.tsx'
import { Problem } from './problem.tsx'

/** The head of a page. The focus goes there when an operator follows a link, so that a screen reader reads it. */
export function PageHead({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  const { client } = useCaller()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const before = document.title
    document.title = `${title} – ${client.product.title}`
    // Not at the first page: the browser's own beginning is the better place then.
    if (before !== client.product.title) heading.current?.focus()
  }, [title])
  return (
    <div class="page-head">
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {children}
    </div>
  )
}

export interface ShownProps<T> {
  readonly live: Live<T>
  /** The right that the request needs. */
  readonly needs?: string
  readonly children: (value: T) => ComponentChildren
  /** In place of a value that does not exist. */
  readonly absent?: string
  /** What is asked for is a token or policy, so `not found` is about it, and not about the token of the tab. */
  readonly isOfAccess?: boolean
}

/** What a question has been answered with, or why there is no answer; with an older answer, both. */
export function Shown<T>({ live, needs, children, absent, isOfAccess = false }: ShownProps<T>) {
  const { value, failure } = live
  const isAbsent = failure?.kind === 'absent' || (isOfAccess && failure?.kind === 'unknown-token')
  if (isAbsent && absent !== undefined) return <Empty text={absent} />
  return (
    <>
      <Problem failure={failure} needs={needs} stale={value !== undefined} />
      {value === undefined && failure === undefined && <p class="loading">{shellWords.loading}</p>}
      {value !== undefined && children(value)}
    </>
  )
}
