import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The headless shell comes first: it has no user interface and uses half as much processor time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * Returns the path of the Chromium or Chrome to test with: `CHROMIUM` if set, else the first of {@link names} found on
 * `PATH`.
 *
 * @throws Error if `CHROMIUM` names a file that does not exist.
 */
export function findChromium(): string | undefined {
  const { CHROMIUM: given = '', PATH = '' } = process.env
  if (given !== '') {
    if (existsSync(given)) return given
    throw new Error(`CHROMIUM is ${given}, which does not exist; set it to the path of a Chromium or Chrome`)
  }
  return names
    .flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)))
    .find((file) => existsSync(file))
}
