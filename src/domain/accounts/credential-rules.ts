import { oneLine } from '../clean-text.ts'
import * as limits from '../limits/limits.ts'
import type { Parsed as ParsedOr } from '../refusal.ts'
import type { AccountRefusalReason } from './account-refusal.ts'
import type { StoredEmail } from './user-store.ts'

export type Parsed<T> = ParsedOr<T, AccountRefusalReason>

export function parseName(text: string): Parsed<string> {
  const name = oneLine(text)
  if (name === '') return { fault: 'name-missing' }
  return [...name].length > limits.personNameMaxCharacters ? { fault: 'name-too-long' } : { value: name }
}

/** The key for comparison ignores case and surrounding spaces. */
export function parseEmail(text: string): Parsed<StoredEmail> {
  const address = text.trim()
  if (address === '') return { fault: 'email-missing' }
  // This pattern only catches typos. A verification email proves that the address works.
  if (address.length > limits.emailMaxCharacters || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(address)) {
    return { fault: 'email-malformed' }
  }
  return { value: { address, key: emailKey(address) } }
}

export function emailKey(text: string): string {
  return text.trim().normalize('NFC').toLowerCase()
}

/** Rejects well-known passwords. Applies no composition rules (NIST SP 800-63B section 3.1.1.2). */
export function parsePassword(clearTextPassword: string): Parsed<string> {
  // Compares what is hashed.
  const normalized = clearTextPassword.normalize('NFKC')
  const characters = [...normalized]
  if (characters.length < limits.passwordMinCharacters) return { fault: 'password-too-short' }
  if (characters.length > limits.passwordMaxCharacters) return { fault: 'password-too-long' }
  const oneCharacterOnly = new Set(characters).size === 1
  if (oneCharacterOnly || wellKnownPasswords.has(normalized.toLowerCase())) return { fault: 'password-well-known' }
  return { value: clearTextPassword }
}

const pinForm = new RegExp(`^[0-9]{${limits.pinMinDigits},${limits.pinMaxDigits}}$`)

/** Accepts ASCII digits only. Digits in other scripts can look alike but are typed differently. */
export function parsePin(clearTextPin: string): Parsed<string> {
  return pinForm.test(clearTextPin) ? { value: clearTextPin } : { fault: 'pin-malformed' }
}

/** No spaces, no control characters. */
export function parseCodeHostingId(text: string): Parsed<string> {
  const plain = [...text].length <= limits.codeHostingIdMaxCharacters && /^[^\s\p{Cc}]+$/u.test(text)
  return plain ? { value: text } : { fault: 'code-hosting-id-malformed' }
}

/** Common passwords from public leaks, in lower case, with 8 or more characters. A rule would reject good ones. */
export const wellKnownPasswords: ReadonlySet<string> = new Set(
  `
!@#$%^&* !@#$%^&*() !qaz2wsx !qaz@wsx 00000000 0123456789 0987654321 0p9o8i7u 10101010 11110000 11111111 11112222
11223344 1122334455 112233445566 12121212 12312312 123123123 123123123a 123321123 1234!@#$ 12341234 123412345
12344321 12345!@#$% 1234512345 123454321 1234554321 12345678 123456789 1234567890 12345678910 123456789a 12345678a
1234567a 123456aa 123456ab 123456abc 123456qwe 12345abc 12345qwe 12345qwert 1234abcd 1234qwer 123654789 123abc123
123qwe123 123qweasd 123qweasdzxc 13131313 14141414 147258369 1472583690 147852369 15151515 159357456 159753456
19841984 19851985 19901990 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qaz@wsx 1qazxsw2 1qazzaq1
20002000 20202020 21212121 22222222 25802580 31313131 321654987 33333333 44444444 456789123 55555555 55667788
5t4r3e2w1q 66666666 66778899 69696969 741258963 741852963 77777777 789456123 87654321 88888888 963852741 987654321
9876543210 99999999 a1234567 a12345678 a123456789 a1b2c3d4 a1b2c3d4e5 aa123456 aa12345678 aaa11111 aaaa1111 aaaaaaaa
aabbccdd abc12345 abc123456 abc123abc abc123def abc@1234 abcd!@#$ abcd1234 abcd12345 abcd@1234 abcdabcd abcdefg1
abcdefg123 abcdefgh abcdefghi admin123 admin1234 admin12345 admin123456 admin2020 admin2024 admin@123 adminadmin
administrador administrator alexande alexander alexander1 alexandra alexandria amanda12 amanda123 america1 american
andrew12 andrew123 angel123 angelina angels12 anthony1 anthony12 anything aquarius arsenal1 arsenal12 asd123456
asdasdasd asdf1234 asdf12345 asdfasdf asdfghjk asdfghjkl asdfghjkl1 asdfghjkl; asdfjkl; asdfqwer asdfzxcv asdqwe123
ashley12 ashley123 asshole1 australia autumn2020 autumn2021 autumn2022 autumn2023 autumn2024 autumn2025 autumn2026
azerty123 azertyuiop babyboy1 babydoll babygirl babygirl1 babygirl12 bailey12 bananas1 barcelona barcelona1 baseball
baseball1 baseball12 basketball basketball1 batman12 batman123 beautiful beautiful1 bitcoin1 blackberry blackcat
blackjack blessed1 blessing blockchain blueberry bluebird blueeyes bmw12345 brandon1 brandon12 brasil123 brittany
brittany1 brother1 budweiser bulldog1 bulldogs bullshit buster12 butterfly butterfly1 california california1
camaro12 canada12 capricorn captain1 casino12 champion champion1 changeit changeme1 changeme123 changemenow charlie1
charlie12 charlie123 cheese12 cheesecake chelsea1 chelsea123 chevrolet chicago1 chocolate chocolate1 christ123
christian christian1 christin christina christopher computer computer1 computer123 cookie12 cookie123 corvette
cowboys1 creative crypto123 cupcake1 cutegirl cutiepie daddysgirl daniel12 daniel123 danielle danielle1 darkness
database daughter december december1 default1 demo1234 diamond1 diamonds discord1 discord123 dogecoin dolphin1
dolphins dragon12 dragon123 dragon69 dreamer1 dreaming drummer1 eagles12 elephant elizabeth elizabeth1 eminem12
england1 ethereum facebook facebook1 facebook123 faith123 family123 father12 february ferrari1 florida1 flower12
flower123 football football1 football12 football123 ford1234 forever1 forever21 fortnite fortnite1 fortune1 france98
freedom1 freedom12 friends1 friends4ever fuckoff1 fuckyou1 fuckyou12 fuckyou123 fuckyou2 gabriel1 gamecube gamer123
gaming12 garfield gemini12 germany1 ginger12 godbless godisgood golden12 goldfish goodbye1 goodluck goodmorning
google123 gorgeous grandma1 grandpa1 greenbay greenday guest123 guest1234 guitar12 handsome hannah12 happy123
happyday harley12 harleydavidson heavenly heineken hello123 hello1234 hello12345 hello2024 hellohello helloworld
hockey123 hollywood honda123 honeybee hotstuff hunter12 hunter123 hurricane ilovegod ilovejesus iloveme1 iloveu123
iloveyou iloveyou! iloveyou1 iloveyou12 iloveyou123 iloveyou2 infinity instagram inter1908 internet internet1
internet123 ireland1 ironman1 isabella isabella1 jackdaniels jackpot1 january1 jasmine1 jeepster jennifer jennifer1
jessica1 jessica12 jessica123 jesus123 jesuschrist jonathan jonathan1 jordan23 joshua12 joshua123 justin12 justin123
juventus kawasaki keyboard killer12 killer123 kimberly lacrosse lakers24 lasvegas1 lauren12 legend12 legendary
letmein! letmein1 letmein12 letmein123 letmeinnow lightning linkedin linkinpark liverpool liverpool1 lkjhgfdsa
london12 losangeles lovebird loveforever lovelove loveme123 loveyou1 lucky123 lucky777 madison1 manager1 manchester
marlboro master01 master12 master123 matrix12 matthew1 matthew12 maverick maxwell1 melissa1 mercedes mercedes1
metallica metallica1 mexico12 michael1 michael12 michael123 michelle michelle1 mickey12 mickeymouse microsoft
microsoft1 midnight midnight1 minecraft minecraft1 minecraft123 mnbvcxz1 mommy123 monitor1 monkey12 monkey123
moonlight mother12 motherfucker motorola mountain mountain1 music123 musician mustang1 mustang12 mylove123
mypassword mypassword1 mysecret myspace1 natalie1 nathan12 newpass1 newpassword newyork1 nicholas nicholas1 nicole12
nicole123 ninja123 nintendo nirvana1 nokia123 nopassword nothing1 november november1 october1 operator orange12
p4ssw0rd p4ssword p@ssw0rd p@ssw0rd1 p@ssword pa$$w0rd pa$$word pa55word panther1 panthers passw0rd passw0rd!
passw0rd1 password password! password-1 password00 password01 password1 password1! password11 password12 password123
password1234 password12345 password123456 password2 password2020 password2021 password2022 password2023 password2024
password2025 password2026 password22 password3 password69 password7 password77 password88 password9 password99
passwordpassword passwort passwort1 passwort123 patricia patrick1 peaceful peanut12 pepper12 phantom1 phoenix1
pikachu1 pineapple platinum playstation poiuytrewq pokemon1 pokemon12 pokemon123 poker123 porsche1 porsche9
porsche911 precious princess princess1 princess12 princess123 pumpkin1 purple12 purple123 pussy123 q1w2e3r4
q1w2e3r4t5 q1w2e3r4t5y6 qazwsx123 qazwsxedc qazwsxedcrfv qwe123456 qwe123qwe qweasd123 qweasdzxc qwer!@#$ qwer1234
qwer12345 qwerasdf qwerasdfzxcv qwerty1! qwerty12 qwerty123 qwerty123! qwerty1234 qwerty12345 qwerty123456
qwerty2020 qwerty2024 qwerty78 qwerty99 qwertyas qwertyqwerty qwertyui qwertyuiop qwertyuiop1 qwertyuiop123
qwertyuiop[] qwertz123 qwertzuiop rainbow1 rainbow12 raspberry realmadrid rebecca1 redskins redsox12 redwings
renegade richard1 robert12 robert123 roblox123 rocknroll rockstar rockstar1 root1234 rootroot sagitario samantha
samantha1 samsung1 samsung123 samurai1 scooby12 scoobydoo scorpio1 scorpion scotland sebastian secret12 secret123
secret1234 secretpassword september september1 server01 service1 sexybitch shadow12 shadow123 silver12 sister12
slayer666 slipknot slipknot1 smile123 smokey12 smoking1 snoopy12 snowball snowflake soccer10 soccer12 soccer123
softball something spiderman spiderman1 spongebob spring2020 spring2021 spring2022 spring2023 spring2024 spring2025
spring2026 starlight startrek startrek1 starwars starwars1 steelers steelers1 stephanie stephanie1 steven12
stoner420 strawberry summer12 summer123 summer2020 summer2021 summer2022 summer2023 summer2024 summer2025 summer2026
sunflower sunshine sunshine1 sunshine12 sunshine123 superman superman1 superman123 support1 support123 survivor
suzuki12 sweetheart sweethearts swimming system32 taylor12 taylor13 temp1234 temporary temppass test1234 test12345
test123456 tester12 testing1 testing123 testtest texas123 thepassword thomas12 thomas123 thunder1 thunder12 tiffany1
tigger12 tigger123 tinkerbell toor1234 topsecret tornado1 toyota12 trinity1 truelove trustno1 trustnoone twilight1
twitter1 user1234 username vampire1 vanessa1 victoria victoria1 vincent1 volleyball warcraft warrior1 warriors
watermelon weed4201 welcome01 welcome1 welcome1! welcome12 welcome123 welcome2020 welcome2021 welcome2022
welcome2023 welcome2024 welcome2025 welcome2026 werewolf whatever whatever1 whiteboy william1 william12 windows1
windows10 winter12 winter123 winter2020 winter2021 winter2022 winter2023 winter2024 winter2025 winter2026 wolverine
wrangler xbox360x xxxxxxxx yamaha12 yankees1 yankees2 yourpassword youtube1 zachary1 zaq12wsx zaq1xsw2 zaq1zaq1
zxcvasdf zxcvbnm, zxcvbnm,./ zxcvbnm1 zxcvbnm123 zzzzzzzz
`
    .trim()
    .split(/\s+/),
)
