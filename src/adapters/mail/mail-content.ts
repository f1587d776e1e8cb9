/** The text of an email. Its link stands between the paragraphs before and after it. */
export interface MailWords {
  subject: string
  before: readonly string[]
  link: { does: string; copy: string } | undefined
  after: readonly string[]
}
