/** memberlist: `UDPBufferSize`. */
export const packetBytesDefault = 1_400
/** Size of a compound's head: a type byte and a count. Two bytes for the length of each message follow. */
export const compoundHeaderBytes = 2
export const compoundMessageBytes = 2
/** Maximum number of messages in a compound: the count is one byte. */
export const compoundMessagesMax = 255

/** Longest name of a member in UTF-8. */
export const nameBytesMax = 128
/** memberlist: `MetaMaxSize`. */
export const metaBytesMax = 512
/**
 * Maximum number of known members, including failed ones and those that left. Claims about further ones are dropped.
 */
export const membersMax = 8_192
/** Longest name of a user event or query in UTF-8. serf limits only the size of the whole. */
export const eventNameBytesMax = 256
/** serf: `QueryResponseSizeLimit`. */
export const queryAnswerBytesMax = 1_024
/** Higher incarnations are dropped: far below the wire's 2^32, so that no honest number ever wraps. */
export const incarnationMax = 2_147_483_648
/** Higher Lamport times are dropped, for the same reason. */
export const lamportMax = 4_503_599_627_370_496
