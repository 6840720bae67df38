import { useState } from 'preact/hooks'
import { shellWords } from '../words/shell-words.ts'

export interface CopyButtonProps {
  readonly text: string
  /** What is copied, for a reader of the screen: `Copy the secret ID`. */
  readonly label?: string
}

/** Puts a text into the clipboard. A page that was not loaded by TLS may not: the text stays selectable. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [copied, setCopied] = useState('')
  if (navigator.clipboard === undefined) return null
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(text)
  }
  return (
    <button type="button" class="small" onClick={() => void copy()}>
      {copied === text ? shellWords.copied : (label ?? shellWords.copy)}
    </button>
  )
}

/** A secret to copy, such as that of a token that was just made. */
export function Secret({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null
  return (
    <>
      <code class="secret">{text}</code> <CopyButton text={text} label={shellWords.copySecret} />
    </>
  )
}
