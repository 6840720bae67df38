/** memberlist: `UDPBufferSize`. */
export const packetBytesDefault = 1_400
/** Of a packet with more than one message: a type byte and a count, then two bytes for the length of each. */
export const compoundHeaderBytes = 2
export const compoundMessageBytes = 2
/** The count is one byte. */
export const compoundMessagesMax = 255

/** Longest name of a member in UTF-8. */
export const nameBytesMax = 128
/** memberlist: `MetaMaxSize`. */
export const metaBytesMax = 512
/** Members known at a time, those that failed or left included; what is said of more is dropped. */
export const membersMax = 8_192
/** Longest name of a user event or query in UTF-8. serf has no bound but the size of the whole. */
export const eventNameBytesMax = 256
/** serf: `QueryResponseSizeLimit`. */
export const queryAnswerBytesMax = 1_024
/** Claims beyond this are dropped: far below the wire's 2^32, so that no honest number ever wraps. */
export const incarnationMax = 2_147_483_648
/** The same for Lamport times. */
export const lamportMax = 4_503_599_627_370_496
