import { useEffect, useRef } from 'preact/hooks'
import { shellWords } from '../words/shell-words.ts'

export interface TokenDialogProps {
  readonly token: string
  readonly open: boolean
  use(token: string): void
  close(): void
}

/** Asks for a token. The browser's dialog keeps the focus within, and returns it to where it was. */
export function TokenDialog({ token, open, use, close }: TokenDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (open) dialog.current?.showModal()
    else dialog.current?.close()
    // The secret is kept for requests alone.
    if (!open && field.current !== null) field.current.value = ''
  }, [open])
  const submit = (event: Event): void => {
    event.preventDefault()
    use(field.current?.value.trim() ?? '')
  }
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="token-title">
      <form onSubmit={submit}>
        <h2 id="token-title">{shellWords.token}</h2>
        <label>
          <span>{shellWords.tokenAsk}</span>
          <input ref={field} type="password" name="token" autocomplete="off" spellcheck={false} required />
        </label>
        <div class="actions">
          <button type="submit" class="primary">
            {shellWords.useToken}
          </button>
          {token !== '' && (
            <button type="button" onClick={() => use('')}>
              {shellWords.dropToken}
            </button>
          )}
          <button type="button" onClick={close}>
            {shellWords.cancel}
          </button>
        </div>
      </form>
    </dialog>
  )
}
