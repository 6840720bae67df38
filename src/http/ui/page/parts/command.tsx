import { useState } from 'preact/hooks'
import { useCaller } from '../live/context.ts'
import { shellWords } from '../words/shell-words.ts'

/** The command line that does or shows the same, to copy. `line`: without the program's name. */
export function Command({ line }: { readonly line: string }) {
  const { client } = useCaller()
  const [copied, setCopied] = useState('')
  const whole = `${client.product.name} ${line}`
  const copy = async (): Promise<void> => {
    // A page that was not loaded by TLS may not write to the clipboard: the text stays selectable.
    if (navigator.clipboard === undefined) return
    await navigator.clipboard.writeText(whole)
    setCopied(whole)
  }
  return (
    <p class="command">
      <span class="label">{shellWords.command}</span> <code>{whole}</code>{' '}
      {navigator.clipboard !== undefined && (
        <button type="button" class="small" onClick={() => void copy()}>
          {copied === whole ? shellWords.copied : shellWords.copy}
        </button>
      )}
    </p>
  )
}
